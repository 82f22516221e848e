-- Invitations as the inviter wrote them, and those who want none of an account. Locks: members, for a column
-- without a default.

-- The address as it was typed; null for invitations of before, which show the one people are looked up by.
alter table members add column invited_as text check (length(invited_as) between 3 and 320);

create table invitation_refusals (
  tenant_id uuid not null references tenants,
  -- SHA-256 of the address, as people are looked up by it.
  recipient_sha256 bytea not null check (length(recipient_sha256) = 32),
  refused_at timestamptz(3) not null,
  primary key (tenant_id, recipient_sha256)
);
create index invitation_refusals_by_time on invitation_refusals (tenant_id, refused_at);
revoke all on invitation_refusals from acuse_worker;
grant select, insert on invitation_refusals to acuse_sessions;
alter table invitation_refusals enable row level security, force row level security;
create policy sessions on invitation_refusals to acuse_sessions using (true) with check (true);
