-- A message is stored without looking its account up again and locking its row: the account was read for the
-- quota, in the same transaction. An account still cannot be deleted under its messages: no role of the
-- service may delete one, and what counts its quota refers to it, which every message has been counted in.
-- Locks: a brief exclusive lock on messages and on tenants.

alter table messages drop constraint messages_tenant_id_fkey;
revoke delete on tenants from acuse_worker;
