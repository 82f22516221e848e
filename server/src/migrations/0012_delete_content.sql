-- What was deleted of messages' content, when and why, and how far the plain content of each account has been
-- looked through. Locks: an exclusive lock on messages while its rows are looked through for the new check.

alter table messages
  -- When the message was erased on request: from then on its record holds no word of its content, and takes
  -- no news.
  add column erased_at timestamptz(3),
  add constraint messages_erased_check check (erased_at is null or (subject = '' and header_to = '' and
    recipient_address = '' and next_attempt_at is null));

-- Content that is gone and was meant to be. Content that is gone without a row here was tampered with.
create table content_deletions (
  tenant_id uuid not null,
  message_id uuid not null,
  -- retention: the days of plain content were over; the message's record stays as it is. erasure: somebody
  -- asked for it.
  cause text not null check (cause in ('retention', 'erasure')),
  deleted_at timestamptz(3) not null,
  reason text check (length(reason) between 1 and 500),
  deleted_by text check (length(deleted_by) between 1 and 200),
  primary key (tenant_id, message_id),
  check ((cause = 'erasure') = (reason is not null)),
  check ((cause = 'erasure') = (deleted_by is not null))
);

-- Whose plain content is looked through next, and from where. Accounts without a row are due.
create table retention_sweeps (
  tenant_id uuid primary key references tenants,
  -- Every plain message up to this id has lost its content; null: nothing was looked at yet.
  swept_to uuid,
  due_at timestamptz(3) not null,
  -- Sweeps begun; every write-back is fenced by it.
  attempt bigint not null default 0
);

grant select on content_deletions to acuse_request;

alter table content_deletions enable row level security, force row level security;
create policy worker on content_deletions to acuse_worker using (true) with check (true);
create policy tenant on content_deletions to acuse_request using (tenant_id =
  current_setting('acuse.tenant_id')::uuid) with check (tenant_id = current_setting('acuse.tenant_id')::uuid);

alter table retention_sweeps enable row level security, force row level security;
create policy worker on retention_sweeps to acuse_worker using (true) with check (true);
