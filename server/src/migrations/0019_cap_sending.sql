-- How much may go out in an hour or a day: limits that an operator sets, and plans that warm an address up.
-- Locks: delivery_queue while its index is built, which has no entry yet; the tables are new.
create table delivery_caps (
  cap_id uuid primary key,
  -- What it covers; null: any. One count is kept for all that it covers.
  tenant_id uuid,
  source_pool text check (source_pool ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
  -- The EHLO name of one of our addresses.
  source text check (length(source) between 1 and 253),
  -- A receiver, by its first domain; `*`: each by itself, with a count of its own.
  receiver text check (length(receiver) between 1 and 253),
  period text not null check (period in ('hour', 'day')),
  -- Messages in a period: one number, or one for each day of a plan.
  steps integer[] not null check (cardinality(steps) between 1 and 100 and 0 < all (steps)),
  -- It goes up a step after a good day, and ends after the last one.
  warms_up boolean not null,
  reason text not null check (length(reason) between 1 and 500),
  made_by text not null check (length(made_by) between 1 and 200),
  made_at timestamptz(3) not null,
  -- Null: until it is taken back.
  ends_at timestamptz(3),
  check (warms_up or cardinality(steps) = 1),
  check (not warms_up or (period = 'day' and source is not null))
);
create unique index delivery_caps_scope on delivery_caps
  (tenant_id, source_pool, source, receiver, period, warms_up) nulls not distinct;

-- Operators' alone: it names accounts and is nothing of theirs.
alter table delivery_caps enable row level security, force row level security;
create policy worker on delivery_caps to acuse_worker using (true) with check (true);

create table delivery_cap_counts (
  cap_id uuid not null references delivery_caps on delete cascade,
  -- Empty: all of them together.
  receiver text not null check (length(receiver) <= 253),
  starts_at timestamptz(3) not null,
  -- Its place in the steps; beyond the last one there is no limit.
  step integer not null check (step >= 0),
  -- Reserved by delivery processes, a few at a time.
  taken integer not null default 0 check (taken >= 0),
  -- Attempts that a server answered, and those that it turned away for their number or our reputation.
  answered integer not null default 0,
  turned_away integer not null default 0,
  primary key (cap_id, receiver, starts_at)
);

-- The cap that a waiting message waits for; null: none.
alter table delivery_queue add column held_by uuid;
create index delivery_queue_held on delivery_queue (held_by) where held_by is not null;
