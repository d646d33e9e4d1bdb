select customer_id, count(*) as orders from main.raw.orders group by customer_id
