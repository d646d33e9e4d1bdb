INSERT INTO dim_product
SELECT s.product_id, s.name, current_date(), NULL, true FROM stg_product s;
