-- Webhook endpoints and their deliveries: an outbox row is in the transaction that makes the event true.
-- Locks: none, all tables are new.

create table webhook_endpoints (
  tenant_id uuid not null references tenants,
  webhook_id uuid not null,
  url text not null check (length(url) <= 2048),
  events text[] not null check (cardinality(events) between 1 and 7
    and events <@ array['*', 'email.queued', 'email.sent', 'email.deferred', 'email.bounced',
      'email.complained', 'email.sealed']),
  description text check (length(description) <= 500),
  secret_sealed bytea not null,
  -- The secret before the last rotation still signs until then, so that receivers can change over.
  previous_secret_sealed bytea,
  previous_secret_until timestamptz(3),
  enabled boolean not null default true,
  -- Why it is off: gone (410), failing (five days of failures) or manual.
  disabled_reason text check (disabled_reason in ('gone', 'failing', 'manual')),
  -- First failure since the last success.
  failing_since timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, webhook_id),
  check (enabled = (disabled_reason is null)),
  check ((previous_secret_sealed is null) = (previous_secret_until is null))
);
-- Those that are off, for what still waits for them.
create index webhook_endpoints_off on webhook_endpoints (tenant_id, webhook_id) where not enabled;
grant select, insert, update, delete on webhook_endpoints to acuse_request;
alter table webhook_endpoints enable row level security, force row level security;
create policy worker on webhook_endpoints to acuse_worker using (true) with check (true);
create policy tenant on webhook_endpoints to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

-- One delivery of one event to one endpoint, kept for 30 days with its attempts. It is written once: it is
-- pending while it is in line, and what its last attempt says is read from that attempt. It does not refer to
-- its endpoint: an event that is written while its endpoint is deleted must neither fail the send that it
-- belongs to nor wait for the deletion.
create table webhook_deliveries (
  tenant_id uuid not null,
  delivery_id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  message_id uuid not null,
  type text not null,
  -- The exact body: every attempt, and every replay, sends the same bytes.
  body bytea not null,
  created_at timestamptz(3) not null,
  -- No further attempt by itself.
  failed boolean not null default false,
  -- It failed because its endpoint was off: the attempts on record by then.
  disabled_after integer check (disabled_after >= 0),
  primary key (tenant_id, delivery_id)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
create index webhook_deliveries_by_endpoint on webhook_deliveries (tenant_id, webhook_id, delivery_id);
-- "All failed since" must not read what was delivered.
create index webhook_deliveries_failed on webhook_deliveries (tenant_id, webhook_id, delivery_id)
  where failed;
create index webhook_deliveries_by_age on webhook_deliveries (created_at);
grant select, update on webhook_deliveries to acuse_request;
alter table webhook_deliveries enable row level security, force row level security;
create policy worker on webhook_deliveries to acuse_worker using (true) with check (true);
create policy tenant on webhook_deliveries to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

-- Deliveries still to be made. A claim moves due_at to the end of its lease, so a lost worker's row comes due
-- again by itself.
create table webhook_queue (
  tenant_id uuid not null,
  delivery_id uuid not null,
  webhook_id uuid not null,
  due_at timestamptz(3) not null,
  -- Attempts begun since it was put in line; a replay begins from 0.
  attempt integer not null default 0 check (attempt >= 0),
  -- The claim that holds it: every write-back is fenced by it.
  lease_id uuid,
  -- It was put in line before: there may be attempts on record.
  again boolean not null default false,
  primary key (tenant_id, delivery_id)
  -- As every queue: see delivery_queue. Without a reference to its delivery, with which it is written: the
  -- check of each row cost as much as the row. Whoever deletes deliveries deletes these.
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0);
create index webhook_queue_due on webhook_queue (tenant_id, webhook_id, due_at);
-- What is due, over all accounts (see delivery_queue).
create index webhook_queue_by_due on webhook_queue (timezone('UTC', due_at));
grant select, insert, update on webhook_queue to acuse_request;
alter table webhook_queue enable row level security, force row level security;
create policy worker on webhook_queue to acuse_worker using (true) with check (true);
create policy tenant on webhook_queue to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

-- Without a reference to their delivery, whose row each of them would lock: whoever deletes deliveries
-- deletes these.
create table webhook_attempts (
  tenant_id uuid not null,
  delivery_id uuid not null,
  attempt integer not null check (attempt > 0),
  started_at timestamptz(3) not null,
  duration_ms integer not null,
  status_code integer,
  error text,
  -- Header fields by name; bounded where they are read (answer-excerpt.ts). Both are null where no answer
  -- came, and after the message was erased.
  response_headers jsonb,
  response_excerpt text check (length(response_excerpt) <= 4096),
  primary key (tenant_id, delivery_id, attempt)
);
grant select on webhook_attempts to acuse_request;
alter table webhook_attempts enable row level security, force row level security;
create policy worker on webhook_attempts to acuse_worker using (true) with check (true);
create policy tenant on webhook_attempts to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);
