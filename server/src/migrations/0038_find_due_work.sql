-- Who has work that is due is found by when it is due, over all accounts. The index is on an expression, so
-- that no claim of one account can ever be planned over it: that would read what all others have due.
-- Locks: writes to these tables while the indexes are built.

create index delivery_queue_by_due on delivery_queue (timezone('UTC', due_at));
