-- What happens is counted by appending, so that no transaction waits for another's commit to count in the
-- same account: one row for all that a transaction counts in a day. A worker adds rows up into
-- daily_counters; whoever reads a day reads both (docs/decisions/0033). Locks: nothing that exists.

create table counter_additions (
  tenant_id uuid not null,
  day date not null,
  ingested bigint not null default 0,
  ingested_certified bigint not null default 0,
  sent bigint not null default 0,
  deferred bigint not null default 0,
  bounced bigint not null default 0,
  complained bigint not null default 0,
  sealed bigint not null default 0
  -- Rows live for seconds: dead ones are cleared away before they are many, whatever the table's size.
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
-- An account's own, and no key: a row is nothing but what it adds.
create index counter_additions_by_tenant on counter_additions (tenant_id);

grant select on counter_additions to acuse_request;
grant select, insert, update, delete on counter_additions to acuse_worker;
alter table counter_additions enable row level security;
alter table counter_additions force row level security;
create policy tenant on counter_additions to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);
create policy worker on counter_additions to acuse_worker using (true) with check (true);
