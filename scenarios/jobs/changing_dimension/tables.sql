CREATE TABLE dim_product (
  product_id BIGINT, name STRING, valid_from DATE, valid_to DATE, is_current BOOLEAN
) USING delta;
