-- What receivers say of mail from an account's domains (DMARC) and senders of TLS to them: names, addresses
-- of hosts and counts; nothing of a message. The oldest goes when there is too much of it.
-- Locks: none that matter, everything here is new.
create table domain_reports (
  tenant_id uuid not null,
  domain_report_id uuid not null,
  domain_id uuid not null,
  kind text not null check (kind in ('dmarc', 'tls')),
  -- The registered domain that the report's mail was proven to come from.
  reporter text not null check (length(reporter) <= 253),
  begins_at timestamptz(3) not null,
  ends_at timestamptz(3) not null,
  policy text check (policy in ('none', 'quarantine', 'reject')),
  -- Messages, or sessions; and how many of them passed.
  total bigint not null check (total >= 0),
  passed bigint not null check (passed between 0 and total),
  facts jsonb not null check (length(facts::text) <= 1048576),
  -- Of its reporter and its name: one report counts once.
  key_sha256 bytea not null check (length(key_sha256) = 32),
  received_at timestamptz(3) not null,
  primary key (tenant_id, domain_report_id),
  unique (tenant_id, domain_id, key_sha256),
  foreign key (tenant_id, domain_id) references domains on delete cascade,
  check (begins_at <= ends_at)
);
create index domain_reports_by_end on domain_reports (tenant_id, domain_id, ends_at);
grant select, insert, delete on domain_reports to acuse_request;
alter table domain_reports enable row level security, force row level security;
create policy worker on domain_reports to acuse_worker using (true) with check (true);
create policy tenant on domain_reports to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);
