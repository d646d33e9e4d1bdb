CREATE TABLE crm.visits (user_id BIGINT, day DATE, page STRING) USING delta PARTITIONED BY (day);
