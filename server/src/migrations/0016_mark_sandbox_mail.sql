-- What was accepted in the sandbox goes to the test mailbox and nowhere else, and what was accepted for the
-- world never goes there, whatever mode a process on this database runs in later. A log that was begun in the
-- sandbox is stamped there only. Locks: an exclusive lock on messages and on logs, for as long as their
-- marked rows take to write.

alter table messages add column sandbox boolean not null default false;
update messages m set sandbox = true from tenants t where t.tenant_id = m.tenant_id and t.sandbox;

alter table logs add column sandbox boolean not null default false;
update logs set sandbox = true where origin = 'sandbox.test/log';
