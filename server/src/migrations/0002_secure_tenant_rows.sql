-- Row-level security over every tenant table, forced on the owner too. The migrator makes the two roles
-- before this runs. Locks: brief exclusive locks on empty tables.

grant usage on schema public to acuse_request, acuse_worker;
grant select, insert, update, delete on all tables in schema public to acuse_worker;
alter default privileges in schema public grant select, insert, update, delete on tables to acuse_worker;

grant select on tenants, quota_usage, daily_counters, tenant_sequences, verified_domains, global_suppressions,
  log_tiles, checkpoints, certificates to acuse_request;
-- Not the sealed key: what answers requests has no use for it.
grant select (log_id, origin, public_key, tree_size, created_at) on logs to acuse_request;
grant select on messages, message_contents, idempotency_claims, events, attempts, delivery_reports,
  delivery_queue, leaf_contents, leaves, pending_leaves to acuse_request;
grant select, insert, update, delete on api_keys, domains, dkim_keys, senders, suppressions to acuse_request;
grant insert on verification_log to acuse_request;

alter table tenants enable row level security, force row level security;
create policy worker on tenants to acuse_worker using (true) with check (true);
create policy tenant on tenants for select to acuse_request using (tenant_id =
  current_setting('acuse.tenant_id')::uuid);

alter table api_keys enable row level security, force row level security;
create policy worker on api_keys to acuse_worker using (true) with check (true);
create policy tenant on api_keys to acuse_request using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

alter table domains enable row level security, force row level security;
create policy worker on domains to acuse_worker using (true) with check (true);
create policy tenant on domains to acuse_request using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

alter table dkim_keys enable row level security, force row level security;
create policy worker on dkim_keys to acuse_worker using (true) with check (true);
create policy tenant on dkim_keys to acuse_request using (tenant_id =
  current_setting('acuse.tenant_id')::uuid) with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

alter table senders enable row level security, force row level security;
create policy worker on senders to acuse_worker using (true) with check (true);
create policy tenant on senders to acuse_request using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

alter table suppressions enable row level security, force row level security;
create policy worker on suppressions to acuse_worker using (true) with check (true);
create policy tenant on suppressions to acuse_request using (tenant_id =
  current_setting('acuse.tenant_id')::uuid) with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

alter table quota_usage enable row level security, force row level security;
create policy worker on quota_usage to acuse_worker using (true) with check (true);
create policy tenant on quota_usage to acuse_request using (tenant_id =
  current_setting('acuse.tenant_id')::uuid) with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

alter table tenant_sequences enable row level security, force row level security;
create policy worker on tenant_sequences to acuse_worker using (true) with check (true);
create policy tenant on tenant_sequences to acuse_request using (tenant_id =
  current_setting('acuse.tenant_id')::uuid) with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

alter table daily_counters enable row level security, force row level security;
create policy worker on daily_counters to acuse_worker using (true) with check (true);
create policy tenant on daily_counters to acuse_request using (tenant_id =
  current_setting('acuse.tenant_id')::uuid) with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

alter table idempotency_claims enable row level security, force row level security;
create policy worker on idempotency_claims to acuse_worker using (true) with check (true);
create policy tenant on idempotency_claims to acuse_request using (tenant_id =
  current_setting('acuse.tenant_id')::uuid) with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

alter table messages enable row level security, force row level security;
create policy worker on messages to acuse_worker using (true) with check (true);
create policy tenant on messages to acuse_request using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

alter table message_contents enable row level security, force row level security;
create policy worker on message_contents to acuse_worker using (true) with check (true);
create policy tenant on message_contents to acuse_request using (tenant_id =
  current_setting('acuse.tenant_id')::uuid) with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

alter table events enable row level security, force row level security;
create policy worker on events to acuse_worker using (true) with check (true);
create policy tenant on events to acuse_request using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

alter table delivery_queue enable row level security, force row level security;
create policy worker on delivery_queue to acuse_worker using (true) with check (true);
create policy tenant on delivery_queue to acuse_request using (tenant_id =
  current_setting('acuse.tenant_id')::uuid) with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

alter table attempts enable row level security, force row level security;
create policy worker on attempts to acuse_worker using (true) with check (true);
create policy tenant on attempts to acuse_request using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

alter table delivery_reports enable row level security, force row level security;
create policy worker on delivery_reports to acuse_worker using (true) with check (true);
create policy tenant on delivery_reports to acuse_request using (tenant_id =
  current_setting('acuse.tenant_id')::uuid) with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

alter table leaf_contents enable row level security, force row level security;
create policy worker on leaf_contents to acuse_worker using (true) with check (true);
create policy tenant on leaf_contents to acuse_request using (tenant_id =
  current_setting('acuse.tenant_id')::uuid) with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

alter table pending_leaves enable row level security, force row level security;
create policy worker on pending_leaves to acuse_worker using (true) with check (true);
create policy tenant on pending_leaves to acuse_request using (tenant_id =
  current_setting('acuse.tenant_id')::uuid) with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

alter table leaves enable row level security, force row level security;
create policy worker on leaves to acuse_worker using (true) with check (true);
create policy tenant on leaves to acuse_request using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

alter table verification_log enable row level security, force row level security;
create policy worker on verification_log to acuse_worker using (true) with check (true);
create policy tenant on verification_log to acuse_request using (tenant_id =
  current_setting('acuse.tenant_id')::uuid) with check (tenant_id = current_setting('acuse.tenant_id')::uuid);
