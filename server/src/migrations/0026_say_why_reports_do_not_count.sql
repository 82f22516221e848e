-- Mail to dmarc@ and tlsrpt@ that counts for no domain says why, as complaints do.
-- Locks role_mails for the time of a look at its two thousand rows.
alter table role_mails
  drop constraint role_mails_problem_check,
  add constraint role_mails_problem_check
    check (problem in ('no_message', 'not_authentic', 'not_an_objection', 'sender_not_proven', 'not_a_report',
      'not_our_domain')),
  drop constraint role_mails_check,
  add constraint role_mails_check check (kind <> 'complaint' or problem is not null);
