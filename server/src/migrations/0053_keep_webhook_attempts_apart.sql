-- A delivery that arrived is three rows: what was to be said, its place in line, and the attempt. The first is
-- written once now and not touched again: it is pending while it is in line, and what the last attempt says
-- is read from that attempt. Before, each success wrote the whole row again, its body among it, and the
-- attempt locked it once more for the foreign key. Whoever deletes deliveries deletes their attempts.
-- Locks: an exclusive lock on the three tables, for a moment.

alter table webhook_deliveries
  drop column failed,
  drop column status,
  drop column attempts,
  drop column last_status_code,
  drop column last_error,
  drop column delivered_at,
  -- No further attempt by itself.
  add column failed boolean not null default false,
  -- It failed because its endpoint was off: the attempts on record by then.
  add column disabled_after integer,
  add constraint webhook_deliveries_disabled_after_check check (disabled_after >= 0);
create index webhook_deliveries_failed on webhook_deliveries (tenant_id, webhook_id, delivery_id) where failed;
alter table webhook_deliveries reset (fillfactor);

alter table webhook_queue
  -- It was put in line before: there may be attempts on record.
  add column again boolean not null default false;

alter table webhook_attempts drop constraint webhook_attempts_tenant_id_delivery_id_fkey;
