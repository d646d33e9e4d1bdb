INSERT INTO gold.kpi REPLACE WHERE day = :day
SELECT o.day, o.region, sum(o.amount) FROM silver.orders o WHERE o.day = :day GROUP BY o.day, o.region;
