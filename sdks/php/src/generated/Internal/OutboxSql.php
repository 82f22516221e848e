<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Internal;

/** The statements of the outbox, which libraries in all languages share. @internal */
final class OutboxSql
{
    public const TABLE = <<<'SQL'
        create table acuse_outbox (
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
        SQL;
    public const ADD = <<<'SQL'
        insert into acuse_outbox (idempotency_key, message) values (?, cast(cast(? as text) as json))
        on conflict (idempotency_key) do nothing
        SQL;
    public const CLAIM = <<<'SQL'
        update acuse_outbox set attempts = attempts + 1, due_at = now() + interval '10 minutes'
        where id = (
          select id from acuse_outbox where state = 'waiting' and due_at <= now()
          order by due_at, id limit 1 for update skip locked
        )
        returning id, idempotency_key, cast(message as text) as message, attempts
        SQL;
    public const RECORD = <<<'SQL'
        update acuse_outbox set
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
          select cast(? as text) as state, cast(? as text) as message_id, cast(? as text) as error,
            cast(? as double precision) as seconds
        ) as came
        where id = cast(? as bigint) and attempts = cast(? as integer) and acuse_outbox.state = 'waiting'
        SQL;
    /** Statuses that end a message, with a code of the API. */
    public const REFUSED = [400, 404, 409, 413, 415, 422];
    /** The code of a message that was accepted before. */
    public const ACCEPTED = 'accepted_before';
}
