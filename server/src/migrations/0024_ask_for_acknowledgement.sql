-- The recipient's own acknowledgement: asked for by the sender, given, refused or left out.
-- Locks events and webhook_endpoints for an instant: the wider checks hold for every row there is. The table
-- is new.
create table acknowledgements (
  tenant_id uuid not null references tenants,
  message_id uuid not null,
  -- SHA-256 of the token in the link, which only the message has.
  token_sha256 bytea not null check (octet_length(token_sha256) = 32),
  -- Of the page and of the mail with the code; null: the browser's.
  language text check (language in ('en', 'es')),
  until timestamptz(3) not null,
  status text not null default 'requested'
    check (status in ('requested', 'acknowledged', 'refused', 'unanswered')),
  source text check (source in ('recipient_page', 'reported_by_mail', 'operator')),
  -- When it was decided.
  decided_at timestamptz(3),
  -- The newest code: SHA-256 over the token and the code. Without the token nobody finds it by trying.
  code_sha256 bytea check (octet_length(code_sha256) = 32),
  code_sent_at timestamptz(3),
  -- Wrong entries of the newest code.
  code_tries smallint not null default 0 check (code_tries between 0 and 5),
  -- All that were sent for this message.
  codes smallint not null default 0 check (codes between 0 and 12),
  created_at timestamptz(3) not null,
  primary key (tenant_id, message_id),
  check ((status = 'requested') = (decided_at is null)),
  check ((status = 'requested') = (source is null))
);
-- A link names no account.
create index acknowledgements_by_token on acknowledgements (token_sha256);
-- Those whose time runs out.
create index acknowledgements_due on acknowledgements (until) where status = 'requested';
grant select on acknowledgements to acuse_request;
alter table acknowledgements enable row level security, force row level security;
create policy worker on acknowledgements to acuse_worker using (true) with check (true);
create policy tenant on acknowledgements to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

alter table events drop constraint events_type_check;
alter table events add constraint events_type_check
  check (type in ('email.queued', 'email.sent', 'email.deferred', 'email.bounced', 'email.complained',
    'email.sealed', 'email.cancelled', 'acknowledgement.given', 'acknowledgement.refused',
    'acknowledgement.expired')) not valid;
alter table webhook_endpoints drop constraint webhook_endpoints_events_check;
alter table webhook_endpoints add constraint webhook_endpoints_events_check
  check (cardinality(events) between 1 and 10
    and events <@ array['*', 'email.queued', 'email.sent', 'email.deferred', 'email.bounced',
      'email.complained', 'email.sealed', 'acknowledgement.given', 'acknowledgement.refused',
      'acknowledgement.expired']) not valid;
