-- What narrows a key, who made it, from where it was last used, and which key sent a message. Locks: api_keys
-- and messages, for columns without a default, or with a constant one.

alter table api_keys
  -- Addresses, and *@domain, that may be in From; null: all that the account may use.
  add column senders text[] check (cardinality(senders) between 1 and 50),
  -- Addresses and networks that it may be used from; null: all.
  add column networks text[] check (cardinality(networks) between 1 and 50),
  add column expires_at timestamptz(3),
  -- What it may read but not change, although its scopes would let it.
  add column read_only text[] not null default '{}' check (read_only <@ array['domains', 'webhooks']),
  -- Null for keys of before.
  add column created_by_kind text check (created_by_kind in ('key', 'user', 'operator', 'system')),
  add column created_by_id uuid,
  add column created_by_name text check (length(created_by_name) <= 320),
  add column last_used_from text check (length(last_used_from) <= 64);
create index api_keys_by_maker on api_keys (tenant_id, created_by_id) where created_by_id is not null;

-- Null: no key did (a session, Acuse itself), or an earlier version stored it.
alter table messages add column api_key_id uuid;
