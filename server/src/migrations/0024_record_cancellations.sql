-- A cancellation is an event of its message that no webhook is told of (docs/decisions/0012).
-- Locks: a brief exclusive lock on events, which is read once.

alter table events drop constraint events_type_check;
alter table events add constraint events_type_check
  check (type in ('email.queued', 'email.sent', 'email.deferred', 'email.bounced', 'email.cancelled',
                  'email.complained', 'email.sealed'));
