-- Small messages and reports stay in their row: fetched and written without a second table and its index.
-- Before, what had more than 2 kB went out of line. A page keeps room for the update that every message gets,
-- so that no index has to learn of it. Locks: share update exclusive, for a moment. Only new rows are kept
-- so.

alter table message_contents set (toast_tuple_target = 8160);
alter table delivery_reports set (toast_tuple_target = 8160);
alter table messages set (fillfactor = 80);
