CREATE TABLE crm.visits (kind STRING, user_id BIGINT, n BIGINT) USING delta PARTITIONED BY (kind);
