CREATE TABLE IF NOT EXISTS silver.readings (id BIGINT, at INT, v INT) USING delta;
INSERT INTO silver.readings
SELECT r.id, r.at, r.v FROM bronze.readings r WHERE r.at > (SELECT max(at) FROM silver.readings);
