SELECT name, count(*) FROM dim_product WHERE is_current GROUP BY name;
