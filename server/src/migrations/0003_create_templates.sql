-- Templates and their immutable versions: a message names the version that made it, so neither is ever
-- changed in place. Locks: none, both tables are new.

create table templates (
  tenant_id uuid not null references tenants,
  template_id uuid not null,
  name text not null check (length(name) between 1 and 200),
  -- The version that sends use now.
  version integer not null check (version > 0),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- A deleted template makes no more messages; its versions stay for those it made.
  deleted_at timestamptz(3),
  primary key (tenant_id, template_id)
);
create unique index templates_by_name on templates (tenant_id, name) where deleted_at is null;

create table template_versions (
  tenant_id uuid not null,
  template_id uuid not null,
  version integer not null check (version > 0),
  subject text not null,
  "text" text,
  html text,
  created_at timestamptz(3) not null,
  primary key (tenant_id, template_id, version),
  foreign key (tenant_id, template_id) references templates,
  check ("text" is not null or html is not null)
);

grant select, insert, update on templates to acuse_request;
grant select, insert on template_versions to acuse_request;

alter table templates enable row level security, force row level security;
create policy worker on templates to acuse_worker using (true) with check (true);
create policy tenant on templates to acuse_request using (tenant_id =
  current_setting('acuse.tenant_id')::uuid) with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

alter table template_versions enable row level security, force row level security;
create policy worker on template_versions to acuse_worker using (true) with check (true);
create policy tenant on template_versions to acuse_request using (tenant_id =
  current_setting('acuse.tenant_id')::uuid) with check (tenant_id = current_setting('acuse.tenant_id')::uuid);
