CREATE TABLE IF NOT EXISTS clients (id BIGINT, name STRING, email STRING, changed TIMESTAMP) USING delta;
MERGE INTO clients t
USING (
  SELECT * FROM (
    SELECT *, rank() OVER (PARTITION BY id ORDER BY changed DESC) AS place FROM clients_feed
    WHERE changed > :last
  ) WHERE place = 1
) s
ON t.id = s.id
WHEN MATCHED AND s.operation = 'DELETE' THEN DELETE
WHEN MATCHED THEN UPDATE SET t.name = s.name, t.email = s.email, t.changed = s.changed
WHEN NOT MATCHED AND s.operation <> 'DELETE'
  THEN INSERT (id, name, email, changed) VALUES (s.id, s.name, s.email, s.changed);
OPTIMIZE clients ZORDER BY (id);
