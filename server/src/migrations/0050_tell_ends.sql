-- Requests tell that a log has ended, and show what was signed of it, which is public; the sealed key beside
-- it is not theirs to read. Locks: none but on the catalogue.

grant select (ended_at, end_note, successor_id) on logs to acuse_request;
