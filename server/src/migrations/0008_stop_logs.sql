-- A log that a witness has shown to be set back: what the witness has, signed by this log's own key, and the
-- newest checkpoint of this database. Nothing more is signed by it. Locks logs, which has a row for each log,
-- for an instant.
alter table logs
  add column stopped_at timestamptz(3),
  add column stop_witness text check (length(stop_witness) <= 2000),
  add column stop_note text check (length(stop_note) <= 100000),
  -- Null: this database has no checkpoint.
  add column stop_own_note text check (length(stop_own_note) <= 100000),
  add check ((stopped_at is null) = (stop_witness is null)),
  add check ((stopped_at is null) = (stop_note is null)),
  add check (stop_own_note is null or stopped_at is not null);
grant select (stopped_at) on logs to acuse_request;
