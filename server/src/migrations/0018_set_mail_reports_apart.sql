-- What a mail to the return path said is a fact of another kind than what a server answered us in a session.
-- Locks: a brief exclusive lock on delivery_reports and on messages; no row is rewritten, delivery_reports is
-- read once.

-- Who delivered the report, what DKIM and SPF said of it, and what it claims: acuse/delivery/v1,
-- facts.reported_by_mail.
alter table delivery_reports add column reported_by_mail jsonb;
-- `other`: about another recipient or another message than the one that its return path names. Ends nothing.
alter table delivery_reports drop constraint delivery_reports_action_check;
alter table delivery_reports add constraint delivery_reports_action_check
  check (action in ('delayed', 'relayed', 'delivered', 'failed', 'complained', 'other'));
alter table delivery_reports add constraint delivery_reports_by_mail_check
  check (reported_by_mail is not null or action in ('delayed', 'relayed', 'failed'));

-- The same for the report that ended the message, if one did.
alter table messages add column reported_by_mail jsonb;
