-- Messages that are accepted now and sent later (docs/decisions/0020). One that is scheduled is in no queue:
-- when it falls due, it leaves this table for the delivery queue.
-- Locks: a brief exclusive lock on messages, which is read once.

alter table messages add column send_at timestamptz(3);
-- When a scheduled message fell due; null for one that was queued when it was accepted.
alter table messages add column queued_at timestamptz(3);
alter table messages drop constraint messages_status_check;
alter table messages add constraint messages_status_check
  check (status in ('scheduled', 'queued', 'sent', 'deferred', 'bounced', 'cancelled', 'complained'));
alter table messages drop constraint messages_check6;
alter table messages add constraint messages_next_attempt_check
  check ((status in ('scheduled', 'queued', 'deferred')) = (next_attempt_at is not null));
-- Only one that fell due is tried; one that never did was cancelled.
alter table messages add constraint messages_scheduled_check
  check (case when send_at is null then status <> 'scheduled' and queued_at is null
              when queued_at is null then status in ('scheduled', 'cancelled')
              else status <> 'scheduled' end);

create table scheduled_messages (
  tenant_id uuid not null,
  message_id uuid not null,
  send_at timestamptz(3) not null,
  primary key (tenant_id, message_id)
);
-- Accounts with due messages are found by a skip scan, and theirs in the order in which they fall due.
create index scheduled_messages_due on scheduled_messages (tenant_id, send_at);

grant select on scheduled_messages to acuse_request;
grant select, insert, update, delete on scheduled_messages to acuse_worker;
alter table scheduled_messages enable row level security;
alter table scheduled_messages force row level security;
create policy tenant on scheduled_messages to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);
create policy worker on scheduled_messages to acuse_worker using (true) with check (true);
