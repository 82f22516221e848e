-- Scheduled messages that are due are found by when they are (see 0038).
--
-- Queues hold rows for seconds: each message leaves two dead versions there and their entries in every index,
-- which all looks and claims step over until vacuum has been. So it comes after so many dead rows, whatever
-- the table's size, and does not pause on the way: there is little to read. (No fillfactor: what a claim
-- changes is in an index, so that a new version gets new entries wherever it lies.)
--
-- The large tables are vacuumed after a fiftieth of their rows instead of a fifth, which at ten million rows
-- is two million dead ones, and their statistics follow them as soon.
-- Locks: writes to scheduled_messages while its index is built.

create index scheduled_messages_by_due on scheduled_messages (timezone('UTC', send_at));

alter table delivery_queue set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0);
alter table webhook_queue set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0);
alter table scheduled_messages set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0);

alter table messages set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
alter table webhook_deliveries set (autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.02);
