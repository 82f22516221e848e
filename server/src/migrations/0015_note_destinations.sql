-- What is known of the receiving side of a destination: learned from attempts, or written by an operator.
-- Locks: none, the table is new.
create table destination_notes (
  -- The domain (A-label) that the recipient's mail goes to, or `smarthost`.
  destination text not null check (length(destination) between 1 and 253),
  note text not null constraint destination_notes_note_check check (note in ('no_pipelining', 'no_tls',
    'no_ipv6', 'conversations', 'messages_per_connection', 'messages_per_minute')),
  -- Of a limit the number; else 1 for yes and 0 for no.
  value integer not null check (value between 0 and 1000000),
  source text not null check (source in ('learned', 'operator')),
  reason text not null check (length(reason) between 1 and 500),
  noted_by text not null check (length(noted_by) between 1 and 200),
  noted_at timestamptz(3) not null,
  -- Null: until it is taken back.
  ends_at timestamptz(3),
  primary key (destination, note),
  check (source = 'operator' or ends_at is not null)
);
