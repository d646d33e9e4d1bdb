UPDATE mart.stock SET n = n + :change WHERE item = :item;
