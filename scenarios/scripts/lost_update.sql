-- name: an update beside a delete
CREATE TABLE shop.orders (id INT, amount INT) USING delta
  TBLPROPERTIES ('delta.isolationLevel' = 'WriteSerializable');
INSERT INTO shop.orders VALUES (1, 10), (2, 20);

-- raise
UPDATE shop.orders SET amount = amount + 1 WHERE id = 1;

-- cancel
DELETE FROM shop.orders WHERE id = 1;

-- schedule: begin raise, cancel, commit raise
