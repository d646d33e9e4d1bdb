CREATE TABLE store_sales (
  ss_sold_date_sk INT, ss_item_sk INT, ss_ticket_number BIGINT, ss_quantity INT
) USING delta PARTITIONED BY (ss_sold_date_sk);
