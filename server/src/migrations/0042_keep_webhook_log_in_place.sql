-- That a delivery arrived is written into its row in place (HOT): no index may change with it. An index whose
-- condition names the status does, so that every delivery was entered into all indexes again; this one's
-- column changes only where something failed. Pages leave room for the rows' second versions.
-- Locks: webhook_deliveries is rewritten, and cannot be read meanwhile.

drop index webhook_deliveries_failed;
alter table webhook_deliveries set (fillfactor = 70);
alter table webhook_deliveries
  add column failed boolean not null generated always as (status = 'failed') stored;
create index webhook_deliveries_failed on webhook_deliveries (tenant_id, webhook_id, delivery_id)
  where failed;
