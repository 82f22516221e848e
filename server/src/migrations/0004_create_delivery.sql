-- A message's way out: the queue, attempts and reports, what is paused, and what delivery processes know of
-- destinations. Locks: none, all tables are new.

-- A message still to be delivered. A claim moves due_at to the end of its lease, so a lost worker's row comes
-- due again by itself.
create table delivery_queue (
  tenant_id uuid not null,
  message_id uuid not null,
  -- The domain (A-label) that the recipient's mail goes to.
  destination text not null,
  due_at timestamptz(3) not null,
  -- Attempts begun; every write-back is fenced by it.
  attempt integer not null default 0,
  leased_until timestamptz(3),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  primary key (tenant_id, message_id)
  -- Queues hold rows for seconds: each message leaves two dead versions there and their entries in every
  -- index, which all looks and claims step over until vacuum has been. So it comes after so many dead rows,
  -- whatever the table's size, and does not pause on the way: there is little to read. (No fillfactor: what a
  -- claim changes is in an index, so that a new version gets new entries wherever it lies.)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0);
create index delivery_queue_due on delivery_queue (tenant_id, due_at);
-- Who has work that is due is found by when it is due, over all accounts (docs/decisions/0032). The index is
-- on an expression, so that no claim of one account can ever be planned over it: that would read what all
-- others have due.
create index delivery_queue_by_due on delivery_queue (timezone('UTC', due_at));
grant select on delivery_queue to acuse_request;
alter table delivery_queue enable row level security, force row level security;
create policy worker on delivery_queue to acuse_worker using (true) with check (true);
create policy tenant on delivery_queue to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

create table attempts (
  tenant_id uuid not null,
  message_id uuid not null,
  attempt integer not null check (attempt > 0),
  started_at timestamptz(3) not null,
  finished_at timestamptz(3) not null,
  outcome text not null check (outcome in ('sent', 'deferred', 'bounced', 'cancelled')),
  bounce_type text check (bounce_type in ('hard', 'soft', 'policy', 'expired', 'suppressed')),
  -- {code, enhanced, text, mx} of the deciding reply, or null when none came.
  reply jsonb,
  -- One entry a host tried: {mx, address, tls, transcript, error}. The text that was hashed.
  sessions json not null,
  -- What a delivery report (RFC 3464) is written from when it is read, besides the message and this attempt
  -- (docs/decisions/0031).
  report json,
  primary key (tenant_id, message_id, attempt),
  check ((outcome = 'bounced') = (bounce_type is not null))
);
grant select on attempts to acuse_request;
alter table attempts enable row level security, force row level security;
create policy worker on attempts to acuse_worker using (true) with check (true);
create policy tenant on attempts to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

-- Reports that came by mail: of a change of state (RFC 3464), or a complaint (RFC 5965). `other`: about
-- another recipient or another message than the one that its return path names; ends nothing.
create table delivery_reports (
  tenant_id uuid not null,
  message_id uuid not null,
  action text not null constraint delivery_reports_action_check
    check (action in ('delayed', 'relayed', 'delivered', 'failed', 'complained', 'other')),
  report bytea not null,
  created_at timestamptz(3) not null,
  -- Who delivered the report, what DKIM and SPF said of it, and what it claims: acuse/delivery/v1,
  -- facts.reported_by_mail.
  reported_by_mail jsonb,
  primary key (tenant_id, message_id, action),
  constraint delivery_reports_by_mail_check
    check (reported_by_mail is not null or action in ('delayed', 'relayed', 'failed'))
) with (toast_tuple_target = 8160);
alter table delivery_reports alter column report set storage external;
grant select on delivery_reports to acuse_request;
alter table delivery_reports enable row level security, force row level security;
create policy worker on delivery_reports to acuse_worker using (true) with check (true);
create policy tenant on delivery_reports to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

-- Messages of which nobody knows whether they were sent, after a restore to an earlier point: in no queue, an
-- operator says what becomes of each.
create table unknown_outcomes (
  tenant_id uuid not null,
  message_id uuid not null,
  destination text not null,
  attempt integer not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  held_at timestamptz(3) not null,
  primary key (tenant_id, message_id)
);
grant select on unknown_outcomes to acuse_request;
alter table unknown_outcomes enable row level security, force row level security;
create policy worker on unknown_outcomes to acuse_worker using (true) with check (true);
create policy tenant on unknown_outcomes to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

-- Mail to these waits until they are resumed. A reference table where tables are distributed.
create table paused_destinations (
  destination text primary key check (length(destination) between 1 and 253),
  reason text not null check (length(reason) between 1 and 500),
  paused_by text not null check (length(paused_by) between 1 and 200),
  paused_at timestamptz(3) not null
);

-- All mail of these waits.
create table paused_tenants (
  tenant_id uuid primary key references tenants,
  reason text not null check (length(reason) between 1 and 500),
  paused_by text not null check (length(paused_by) between 1 and 200),
  paused_at timestamptz(3) not null
);
alter table paused_tenants enable row level security, force row level security;
create policy worker on paused_tenants to acuse_worker using (true) with check (true);

-- A destination whose window is full or closed in one process. Written over every few seconds; past that the
-- process is gone.
create table delivery_windows (
  process_id uuid not null,
  destination text not null,
  source_pool text not null default 'default',
  places integer not null check (places > 0),
  in_use integer not null check (in_use >= 0),
  waiting integer not null check (waiting >= 0),
  closed_until timestamptz(3),
  reported_at timestamptz(3) not null,
  primary key (process_id, destination, source_pool)
);

-- MTA-STS policies of recipients' domains, so that a restart does not forget who asked for TLS. RFC 8461
-- section 3.3
create table mta_sts_policies (
  -- A-labels.
  domain text primary key check (length(domain) between 1 and 253),
  -- The id that the domain announced it by.
  policy_id text not null check (policy_id ~ '^[A-Za-z0-9]{1,32}$'),
  -- As read: mode, mx and max age in seconds.
  policy jsonb not null,
  fetched_at timestamptz(3) not null,
  -- The end of its max age: then it is none.
  expires_at timestamptz(3) not null
);
create index on mta_sts_policies (expires_at);

-- The built-in test mailbox.
create table sandbox_mail (
  mail_id uuid primary key,
  reverse_path text not null,
  forward_path text not null,
  client_name text not null,
  tls jsonb,
  raw bytea not null,
  received_at timestamptz(3) not null
  -- A small message with two signatures stays in its row.
) with (toast_tuple_target = 8160);
create index sandbox_mail_by_recipient on sandbox_mail (forward_path, mail_id);
alter table sandbox_mail alter column raw set storage external;
