-- The statement that dbt runs for a snapshot, as target/run has it.
CREATE TABLE IF NOT EXISTS main.snapshots.orders_snapshot (
  order_id BIGINT, status STRING, dbt_scd_id STRING, dbt_updated_at TIMESTAMP,
  dbt_valid_from TIMESTAMP, dbt_valid_to TIMESTAMP
) USING delta;
merge into `main`.`snapshots`.`orders_snapshot` as DBT_INTERNAL_DEST
    using `main`.`snapshots`.`orders_snapshot_stage` as DBT_INTERNAL_SOURCE
    on DBT_INTERNAL_SOURCE.dbt_scd_id = DBT_INTERNAL_DEST.dbt_scd_id
    when matched
     and DBT_INTERNAL_DEST.dbt_valid_to is null
     and DBT_INTERNAL_SOURCE.dbt_change_type in ('update', 'delete')
        then update
        set dbt_valid_to = DBT_INTERNAL_SOURCE.dbt_valid_to
    when not matched
     and DBT_INTERNAL_SOURCE.dbt_change_type = 'insert'
        then insert (order_id, status, dbt_scd_id, dbt_updated_at, dbt_valid_from, dbt_valid_to)
        values (DBT_INTERNAL_SOURCE.order_id, DBT_INTERNAL_SOURCE.status,
                DBT_INTERNAL_SOURCE.dbt_scd_id, DBT_INTERNAL_SOURCE.dbt_updated_at,
                DBT_INTERNAL_SOURCE.dbt_valid_from, DBT_INTERNAL_SOURCE.dbt_valid_to);
