-- The recipient's own mail, which acknowledges a message, among the mails that came about it.
-- Locks delivery_reports for an instant: the wider check holds for every row there is.
alter table delivery_reports drop constraint delivery_reports_action_check;
alter table delivery_reports add constraint delivery_reports_action_check
  check (action in ('delayed', 'relayed', 'delivered', 'failed', 'complained', 'other', 'receipt',
    'acknowledged')) not valid;
