-- The access log of verifications is read for one result. Locks: writes to verification_log wait until its
-- index is built.
create index verification_log_by_answer on verification_log (tenant_id, answer, query_id);
