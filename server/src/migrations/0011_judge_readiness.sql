-- Since when the records that a domain's mail is judged by are missing, and accounts that refuse to send from
-- such a domain.
-- Locks: domains and tenants, for a moment; the columns are null or have a default, so no row is rewritten.

alter table domains add column degraded_since timestamptz(3);
create index domains_degraded on domains (degraded_since) where degraded_since is not null;

alter table tenants add column require_ready_domains boolean not null default false;
