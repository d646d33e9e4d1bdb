DELETE FROM shop.orders WHERE id = 1
