CREATE TABLE ledger (kind STRING, account BIGINT, amount BIGINT) USING delta PARTITIONED BY (kind);
