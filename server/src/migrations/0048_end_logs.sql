-- A log that cannot go on: what was said of its end, and the log that goes on. Its private key is destroyed
-- (private_key_sealed is empty).
-- Locks: an exclusive lock on logs, for as long as their columns take to add; no row is rewritten.

alter table logs
  add column ended_at timestamptz(3),
  add column end_note text check (length(end_note) <= 10000),
  add column successor_id uuid,
  add check ((ended_at is null) = (end_note is null)),
  add check ((ended_at is null) = (successor_id is null));
