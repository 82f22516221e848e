-- Endpoints with due deliveries are found by when these are due, over all accounts (see 0038); those that are
-- off, for what still waits for them.
-- Locks: writes to these tables while the indexes are built.

create index webhook_queue_by_due on webhook_queue (timezone('UTC', due_at));
create index webhook_endpoints_off on webhook_endpoints (tenant_id, webhook_id) where not enabled;
