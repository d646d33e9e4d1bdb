select event_id, kind, happened_at
from main.raw.events
where happened_at > (select max(happened_at) from `main`.`shop`.`events`)
