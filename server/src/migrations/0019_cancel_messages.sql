-- A message that was cancelled neither bounced nor was sent: a state of its own (docs/decisions/0012).
-- Locks: a brief exclusive lock on messages and on attempts, which are each read once.

alter table messages add column cancelled_at timestamptz(3);
alter table messages drop constraint messages_status_check;
alter table messages add constraint messages_status_check
  check (status in ('queued', 'sent', 'deferred', 'bounced', 'cancelled', 'complained'));
-- Nothing precedes it but attempts that were deferred, and nothing follows.
alter table messages add constraint messages_cancelled_check
  check ((status = 'cancelled') = (cancelled_at is not null)
         and (cancelled_at is null or num_nonnulls(sent_at, bounced_at, complained_at) = 0));

alter table attempts drop constraint attempts_outcome_check;
alter table attempts add constraint attempts_outcome_check
  check (outcome in ('sent', 'deferred', 'bounced', 'cancelled'));
