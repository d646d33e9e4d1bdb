CREATE TABLE main.shop.orders (id INT, amount INT) USING delta;
CREATE TABLE main.shop.totals (total BIGINT) USING delta;
INSERT INTO shop.orders VALUES (1, 10), (2, 20);
