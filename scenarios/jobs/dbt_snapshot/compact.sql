OPTIMIZE main.snapshots.orders_snapshot;
VACUUM main.snapshots.orders_snapshot;
