SELECT region, sum(revenue) FROM gold.kpi WHERE day >= :first GROUP BY region;
