-- When each verified domain is looked up again. Locks: a brief exclusive lock on domains.

alter table domains
  -- Null: never again by itself (pending, or vouched for by the operator). A claim moves it to the end of its
  -- lease.
  add column check_due_at timestamptz(3),
  -- Look-ups begun; what one found is written only while it is the newest.
  add column check_attempt integer not null default 0,
  add check (check_due_at is null or status <> 'pending'),
  add check (grace_until is null or status = 'verified');
create index domains_due on domains (tenant_id, check_due_at) where check_due_at is not null;
