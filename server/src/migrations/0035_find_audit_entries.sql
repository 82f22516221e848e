-- Both audit logs are read for one operation, one who did it, and, in an account, one that it was done to.
-- What owners decide of an account changes in one transaction with its name, which is the workers' to write.
-- Locks: writes to account_events and operator_events wait until their indexes are built.
create index account_events_by_action on account_events (tenant_id, action, event_id);
create index account_events_by_actor on account_events (tenant_id, actor_id, event_id);
create index account_events_by_target on account_events (tenant_id, target, event_id);
create index operator_events_by_action on operator_events (action, event_id);
create index operator_events_by_operator on operator_events (operator_id, event_id);

grant select, insert, update on account_settings to acuse_worker;
create policy worker on account_settings to acuse_worker using (true) with check (true);
