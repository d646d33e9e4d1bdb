MERGE INTO silver.clicks t USING bronze.late_clicks s ON t.click_id = s.click_id
WHEN NOT MATCHED THEN INSERT (click_id, page, at) VALUES (s.click_id, s.page, s.at);
