-- Lists can be asked for one recipient's messages, and the access log of verifications is read: by its owner,
-- and for one message. Locks: messages is written anew under an exclusive lock; writes to verification_log
-- wait until its index is built.

-- The one index for a filter of the list of messages: whatever else is looked for is looked for among the
-- newest, so that a send need not keep an index for each.
-- A column, because row-level security keeps an expression that may tell of rows (`lower`) from being looked
-- up in an index.
alter table messages add column recipient_key text not null generated always as (lower(recipient_address))
  stored;
create index messages_by_recipient on messages (tenant_id, recipient_key, message_id);

create index verification_log_by_message on verification_log (tenant_id, message_id, query_id);
grant select on verification_log to acuse_request;
