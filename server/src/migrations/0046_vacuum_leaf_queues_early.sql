-- pending_leaves and stamp_queue hold rows for seconds, as the queues of 0041 do: vacuum comes after so many
-- dead rows, whatever the table's size, and does not pause on the way.
--
-- What was deleted last, and whether much was, is read from the end of an index: a status counted all
-- deletions. Rows of one page have one time, so that the index holds them as one entry.
-- Contents of a month are deleted at a stretch: vacuum follows after a fiftieth of the rows in place of a
-- fifth, also where what is too long for a row lies, so that new contents take the place (decision 0042).
-- Locks: writes to content_deletions while its index is built.

alter table pending_leaves set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0);
alter table stamp_queue set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0);

alter table message_contents set (autovacuum_vacuum_scale_factor = 0.02,
  toast.autovacuum_vacuum_scale_factor = 0.02);

create index content_deletions_by_time on content_deletions (cause, deleted_at);
