-- The words by which messages of a large account are found (docs/decisions/0063). An account has rows here
-- only once it has more messages than a search reads one by one. Locks nothing: both tables are new.

-- A run of an account's messages, by id: all after `after_id`, up to `last_id`.
create table search_segments (
  tenant_id uuid not null,
  after_id uuid not null,
  last_id uuid not null check (last_id > after_id),
  -- False: its words were deleted with a message, and are collected again.
  made boolean not null,
  -- When it is looked at again: after an erasure, or when the last of its messages will have been delivered.
  again_at timestamptz(3),
  primary key (tenant_id, after_id)
);
create index search_segments_again on search_segments (tenant_id, again_at) where again_at is not null;
alter table search_segments enable row level security, force row level security;
create policy worker on search_segments to acuse_worker using (true) with check (true);
create policy tenant on search_segments to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);
grant select on search_segments to acuse_request;

-- A segment's words in order, a hundred or so in a row: each on a line, with the milliseconds after the
-- segment's first at which the messages that have it were accepted.
create table search_words (
  tenant_id uuid not null,
  after_id uuid not null,
  last_word text collate "C" not null,
  words text not null,
  primary key (tenant_id, after_id, last_word)
) with (autovacuum_vacuum_scale_factor = 0.02);
alter table search_words enable row level security, force row level security;
create policy worker on search_words to acuse_worker using (true) with check (true);
create policy tenant on search_words to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);
grant select on search_words to acuse_request;
