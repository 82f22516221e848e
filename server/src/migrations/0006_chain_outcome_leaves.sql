-- A message's leaves are one chain: its own, then what became of it, each naming the one before.
-- Locks: an exclusive lock on leaf_contents while its index is built, a brief one on delivery_reports.

alter table leaf_contents
  -- Place in the message's chain. Unique, so that no two leaves can follow the same one, whoever writes them.
  add column ordinal smallint not null default 0 check (ordinal >= 0),
  add check ((kind = 'message') = (ordinal = 0));
create unique index leaf_contents_chain on leaf_contents (tenant_id, message_id, ordinal);
drop index leaf_contents_by_message;

-- What a recipient's provider reported as a complaint (RFC 5965) is evidence like any other report.
alter table delivery_reports drop constraint delivery_reports_action_check;
alter table delivery_reports add constraint delivery_reports_action_check
  check (action in ('delayed', 'relayed', 'delivered', 'failed', 'complained'));
