-- Which roles the processes have that work on this database, so that one that starts without some of them,
-- and acuse doctor, can say what is missing.
-- Locks: an exclusive lock on processes, for as long as its column takes to add; no row is rewritten.

alter table processes
  -- Null: of a version that does not say.
  add column roles text[] check (cardinality(roles) <= 100);
