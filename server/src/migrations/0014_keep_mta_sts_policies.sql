-- MTA-STS policies of recipients' domains, so that a restart does not forget who asked for TLS. RFC 8461
-- section 3.3 Locks: none, the table is new.

create table mta_sts_policies (
  -- A-labels.
  domain text primary key check (length(domain) between 1 and 253),
  -- The id that the domain announced it by.
  policy_id text not null check (policy_id ~ '^[A-Za-z0-9]{1,32}$'),
  -- As read: mode, mx and max age in seconds.
  policy jsonb not null,
  fetched_at timestamptz(3) not null,
  -- The end of its max age: then it is none.
  expires_at timestamptz(3) not null
);

create index on mta_sts_policies (expires_at);
