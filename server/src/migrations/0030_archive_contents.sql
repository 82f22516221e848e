-- Contents of certified messages that are in an archive alone (docs/decisions/0070). Locks messages for an
-- instant: a column without a default, and a check that every row meets.

-- Whose months, and where: acuse archive drop writes it before it deletes anything.
create table archived_months (
  tenant_id uuid not null references tenants,
  month date not null check (extract(day from month) = 1),
  -- As ACUSE_ARCHIVE: a folder, or s3://bucket/prefix. The archive is in it under <tenant_id>/<YYYY-MM>.
  place text not null check (length(place) between 1 and 4096),
  dropped_at timestamptz(3) not null,
  primary key (tenant_id, month)
);
grant select on archived_months to acuse_request;
alter table archived_months enable row level security, force row level security;
create policy worker on archived_months to acuse_worker using (true) with check (true);
create policy tenant on archived_months to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

-- Bytes of the request, which nothing else says; null: the content is here, or deleted.
alter table messages add column archived_submission_bytes integer;
alter table messages add constraint messages_archived_check check (archived_submission_bytes is null
  or (archived_submission_bytes >= 0 and certified and erased_at is null)) not valid;
alter table messages validate constraint messages_archived_check;
