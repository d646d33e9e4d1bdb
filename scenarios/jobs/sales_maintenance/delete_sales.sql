DELETE FROM store_sales
WHERE ss_sold_date_sk >= (SELECT min(d_date_sk) FROM date_dim WHERE d_date BETWEEN :first AND :last)
  AND ss_sold_date_sk <= (SELECT max(d_date_sk) FROM date_dim WHERE d_date BETWEEN :first AND :last);
