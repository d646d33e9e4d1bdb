CREATE TABLE gold.kpi (day DATE, region STRING, revenue BIGINT) USING delta PARTITIONED BY (day);
