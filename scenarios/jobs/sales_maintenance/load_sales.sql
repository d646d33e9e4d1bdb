INSERT INTO store_sales
SELECT d.d_date_sk, i.i_item_sk, p.purc_purchase_id, l.plin_quantity
FROM s_purchase p
JOIN s_purchase_lineitem l ON p.purc_purchase_id = l.plin_purchase_id
LEFT JOIN item i ON l.plin_item_id = i.i_item_id
LEFT JOIN date_dim d ON CAST(p.purc_purchase_date AS DATE) = d.d_date;
