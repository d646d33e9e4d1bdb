CREATE TABLE IF NOT EXISTS silver.clicks (click_id BIGINT, page STRING, at TIMESTAMP) USING delta;
INSERT INTO silver.clicks
SELECT b.click_id, b.page, b.at FROM bronze.clicks b
WHERE NOT EXISTS (SELECT 1 FROM silver.clicks s WHERE s.click_id = b.click_id);
