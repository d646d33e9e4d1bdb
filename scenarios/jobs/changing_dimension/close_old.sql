MERGE INTO dim_product t USING stg_product s ON t.product_id = s.product_id AND t.is_current
WHEN MATCHED AND t.name <> s.name THEN UPDATE SET is_current = false, valid_to = current_date();
