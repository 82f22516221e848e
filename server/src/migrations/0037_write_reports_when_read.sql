-- A delivery report of ours is written when it is read, from its attempt and its message: an attempt keeps
-- what is in neither. Only what came by mail is a row of delivery_reports from here on; reports of ours that
-- are there already stay. Sessions are kept as the text that was hashed, which costs less than taking it
-- apart.
-- Locks: an exclusive lock on attempts while it is rewritten.

alter table attempts alter column sessions type json using sessions::json,
  add column report json;
