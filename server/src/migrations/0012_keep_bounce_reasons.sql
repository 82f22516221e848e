-- Why a message bounced, in the words of the bounce rules. Null before this version, and where nothing
-- bounced.
-- Locks messages and attempts for an instant: no row is rewritten, and no row is looked at.
alter table messages add column bounce_reason text;
alter table messages add constraint messages_bounce_reason_check
  check (bounce_reason ~ '^[a-z_]{1,40}$') not valid;
alter table attempts add column bounce_reason text;
alter table attempts add constraint attempts_bounce_reason_check
  check (bounce_reason ~ '^[a-z_]{1,40}$') not valid;
