-- The access log of verifications knows whom it was besides keys: a person with a session of the portal, or a
-- stranger with whom a message was shared. Names are those of the moment, so that a key or a person that is
-- gone still has one. Locks: verification_log is read whole and its rows are written once more, under an
-- exclusive lock.
alter table verification_log
  alter column api_key_id drop not null,
  add column user_id uuid,
  add column share_id uuid,
  add column actor_name text check (length(actor_name) <= 400);
update verification_log v set actor_name = k.name
  from api_keys k where k.tenant_id = v.tenant_id and k.api_key_id = v.api_key_id;
update verification_log set actor_name = '' where actor_name is null;
alter table verification_log
  alter column actor_name set not null,
  add constraint verification_log_one_actor check (num_nonnulls(api_key_id, user_id, share_id) = 1);
