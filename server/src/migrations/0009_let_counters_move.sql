-- Citus moves a shard while it is written to, and has to find the rows that were deleted meanwhile: a table
-- without a key is found by its whole rows. Where nothing decodes the WAL this changes nothing. Locks
-- counter_additions, whose rows live for seconds, for an instant.
alter table counter_additions replica identity full;
