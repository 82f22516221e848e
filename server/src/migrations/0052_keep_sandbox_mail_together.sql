-- A small message with two signatures is just above what PostgreSQL keeps in a row: its bytes went into a
-- second table with an index of its own. Locks: an exclusive lock on sandbox_mail, for a moment.

alter table sandbox_mail set (toast_tuple_target = 8160);
