-- The account that Acuse sends its own mail from: nobody's, and in no list of accounts. Locks: a brief
-- exclusive lock on tenants; a constant default rewrites no row.
alter table tenants add column internal boolean not null default false;
