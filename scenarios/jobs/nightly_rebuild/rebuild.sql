CREATE TABLE IF NOT EXISTS mart.stock (item BIGINT, n INT) USING delta;
TRUNCATE TABLE mart.stock;
INSERT INTO mart.stock SELECT item, n FROM erp.stock;
