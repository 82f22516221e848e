-- Mail to the roles of the mail hosts (postmaster, abuse, fbl) that could not be put to a message of ours,
-- for the operator to read. The oldest goes when there is too much of it.
-- Locks: none that matter, everything here is new.
create table role_mails (
  role_mail_id uuid primary key,
  role text not null check (role in ('postmaster', 'abuse', 'fbl')),
  kind text not null check (kind in ('complaint', 'report', 'automatic', 'letter')),
  -- Why a complaint came to nothing; null: it is no complaint.
  problem text check (problem in ('no_message', 'not_authentic', 'not_an_objection')),
  forward_path text not null check (length(forward_path) <= 320),
  reverse_path text not null check (length(reverse_path) <= 320),
  client_address text not null check (length(client_address) <= 64),
  from_text text not null check (length(from_text) <= 1000),
  subject text not null check (length(subject) <= 1000),
  excerpt text not null check (length(excerpt) <= 4000),
  -- The message of ours that it seems to be about.
  message_id uuid,
  sha256 bytea not null unique check (length(sha256) = 32),
  size_bytes integer not null check (size_bytes >= 0),
  -- The beginning, where it is long.
  raw bytea not null check (length(raw) <= 65536),
  received_at timestamptz(3) not null,
  check ((kind = 'complaint') = (problem is not null))
);
create index role_mails_by_client on role_mails (client_address, received_at);
