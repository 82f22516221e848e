-- What operators did, the messages that they opened, and the checks of all evidence that run as jobs. Locks:
-- none, all tables are new.

-- What operators did. A change is written down before it is made (started) and when it has ended; one that
-- was started and never ended was cut off. Nothing changes or deletes a row.
create table operator_events (
  event_id uuid primary key,
  request_id uuid not null,
  phase text not null check (phase in ('started', 'ended')),
  outcome text check (outcome in ('done', 'refused', 'failed')),
  operator_id uuid not null,
  operator_name text not null,
  action text not null,
  tenant_id uuid,
  subject text,
  reason text,
  before jsonb,
  after jsonb,
  error text,
  client_address text not null,
  occurred_at timestamptz(3) not null,
  check ((phase = 'ended') = (outcome is not null))
);
create unique index operator_events_request on operator_events (request_id, phase);
create index operator_events_tenant on operator_events (tenant_id, event_id);
revoke update, delete on operator_events from acuse_worker;
alter table operator_events enable row level security, force row level security;
create policy worker on operator_events to acuse_worker using (true) with check (true);

-- A message that an operator opened, with a reason: for a quarter of an hour.
create table content_openings (
  opening_id uuid primary key,
  operator_id uuid not null,
  tenant_id uuid not null,
  message_id uuid not null,
  reason text not null check (length(reason) between 1 and 500),
  opened_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
create index content_openings_message on content_openings (message_id, operator_id);
alter table content_openings enable row level security, force row level security;
create policy worker on content_openings to acuse_worker using (true) with check (true);

-- Checks of all evidence, as acuse fsck makes them. One that runs says so again and again; past that its
-- process is gone.
create table evidence_checks (
  check_id uuid primary key,
  status text not null check (status in ('running', 'clean', 'problems', 'failed', 'interrupted')),
  started_by text not null,
  started_at timestamptz(3) not null,
  beat_at timestamptz(3) not null,
  finished_at timestamptz(3),
  phase text check (phase in ('log', 'tenants')),
  done bigint not null default 0,
  total bigint not null default 0,
  result jsonb,
  error text,
  check ((status = 'running') = (finished_at is null))
);
create unique index evidence_checks_running on evidence_checks ((true)) where status = 'running';
