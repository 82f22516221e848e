-- The list of suppressions is read by where its entries come from: what was added by hand among a hundred
-- thousand bounces. A bounce or a complaint writes one more index entry, a send none.
-- Locks: writes to suppressions wait until the index is built.

create index suppressions_by_source on suppressions (tenant_id, source, suppression_id);
