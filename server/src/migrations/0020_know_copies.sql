-- Which messages a request with several recipients made. Locks: nothing that exists.

create table message_copies (
  tenant_id uuid not null,
  -- The message that the request was answered with: its idempotency claim names it.
  first_message_id uuid not null,
  -- Place of the recipient among those of the request, from 0. One without a row was left out, because it was
  -- suppressed.
  position smallint not null check (position >= 0),
  message_id uuid not null,
  primary key (tenant_id, first_message_id, position)
);

grant select on message_copies to acuse_request;

alter table message_copies enable row level security, force row level security;
create policy worker on message_copies to acuse_worker using (true) with check (true);
create policy tenant on message_copies to acuse_request using (tenant_id =
  current_setting('acuse.tenant_id')::uuid) with check (tenant_id = current_setting('acuse.tenant_id')::uuid);
