select order_id, status, updated_at
from main.raw.orders
where updated_at > (select max(updated_at) from `main`.`shop`.`orders`)
