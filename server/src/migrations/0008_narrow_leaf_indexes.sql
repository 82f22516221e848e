-- A leaf is written once and found two ways: by its id and by its place in the log. Every further index costs
-- each leaf of a batch. Locks: an exclusive lock on leaves while its index is built.

-- Who looks for a message's leaves asks leaf_contents.
drop index leaves_by_message;
alter table leaves drop constraint leaves_tenant_id_log_id_leaf_index_key;
drop index leaves_by_index;
create unique index leaves_by_index on leaves (log_id, leaf_index, tenant_id);
