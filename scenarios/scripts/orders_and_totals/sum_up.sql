INSERT INTO shop.totals SELECT sum(amount) FROM shop.orders
