// Generated from contract/openapi.json by sdks/generate/typescript.mjs: do not edit.

/** The table that a migration of yours creates, once; libraries in all languages share it. */
export const OUTBOX_TABLE = `create table acuse_outbox (
  id bigint generated always as identity primary key,
  idempotency_key text not null unique check (idempotency_key collate "C" ~ '^[ -~]{1,255}$'),
  message json,
  state text not null default 'waiting' check (state in ('waiting', 'sent', 'refused')),
  attempts integer not null default 0,
  due_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  message_id text,
  error text,
  check (message is not null or state = 'sent'),
  check ((ended_at is null) = (state = 'waiting'))
);
create index acuse_outbox_due on acuse_outbox (due_at, id) where state = 'waiting';
`;

export const ADD = `insert into acuse_outbox (idempotency_key, message) values ($1, cast(cast($2 as text) as json))
on conflict (idempotency_key) do nothing`;

export const CLAIM = `update acuse_outbox set attempts = attempts + 1, due_at = now() + interval '10 minutes'
where id = (
  select id from acuse_outbox where state = 'waiting' and due_at <= now()
  order by due_at, id limit 1 for update skip locked
)
returning id, idempotency_key, cast(message as text) as message, attempts`;

export const RECORD = `update acuse_outbox set
  state = came.state,
  message = case came.state when 'sent' then null else message end,
  message_id = came.message_id,
  error = came.error,
  ended_at = case came.state when 'waiting' then null else now() end,
  due_at = now() + greatest(
    least(came.seconds, 86400) * interval '1 second',
    least(interval '1 hour', power(2, least(attempts, 10)) * interval '5 seconds')
  )
from (
  select cast($1 as text) as state, cast($2 as text) as message_id, cast($3 as text) as error,
    cast($4 as double precision) as seconds
) as came
where id = cast($5 as bigint) and attempts = cast($6 as integer) and acuse_outbox.state = 'waiting'`;

/** Statuses that end a message, with a code of the API. */
export const REFUSED: readonly number[] = [400, 404, 409, 413, 415, 422];
/** The code of a message that was accepted before. */
export const ACCEPTED = 'accepted_before';
