INSERT INTO ledger SELECT 'balance', :account, sum(amount) FROM ledger WHERE kind = 'entry' AND account = :account;
DELETE FROM ledger WHERE kind = 'entry' AND account = :account;
