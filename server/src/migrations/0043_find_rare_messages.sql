-- What is rare among an account's messages is found by an index that knows the rare ones only, so that
-- neither a send nor a delivery keeps another index: messages that ended otherwise than by being sent, those
-- of a template, and bounces by their type, which a column says now. What waits is found by its queue. Locks:
-- messages is rewritten, and cannot be read meanwhile.

alter table messages add column bounce_type text
  check (bounce_type in ('hard', 'soft', 'policy', 'expired', 'suppressed'));
-- Written in place (HOT) is what changes no column of an index, and not of an index's condition either: this
-- one changes with such an end alone.
alter table messages add column ended_as text
  generated always as (case when status in ('bounced', 'complained', 'cancelled') then status end) stored;
update messages m
   set bounce_type = (select e.data ->> 'bounce_type' from events e
                       where e.tenant_id = m.tenant_id and e.message_id = m.message_id
                         and e.type = 'email.bounced' limit 1)
 where m.status = 'bounced';
create index messages_by_end on messages (tenant_id, ended_as, message_id) where ended_as is not null;
create index messages_by_bounce on messages (tenant_id, bounce_type, message_id)
  where bounce_type is not null;
create index messages_by_template on messages (tenant_id, template_id, message_id)
  where template_id is not null;

-- By an id alone a bounce and an operator look, and say so by the condition, which is always true: without it
-- a list could be read backwards through the messages of all accounts.
drop index messages_by_id;
create index messages_by_id on messages (message_id) where size_bytes > 0;
