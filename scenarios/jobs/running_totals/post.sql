INSERT INTO ledger VALUES ('entry', :account, :amount);
