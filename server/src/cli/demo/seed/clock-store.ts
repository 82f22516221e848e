import pg from 'pg';
import type { Queryable } from '../../../platform/database/db.ts';

/** Settings by which these functions shadow the database's own, for one run of the embedded PostgreSQL. */
export const MOVED_CLOCK_SETTINGS = { search_path: 'public,pg_catalog' } as const;

const CLOCKS = ['now', 'clock_timestamp'] as const;

/** Offsets the database's clock (ms), where these functions come first. */
export async function moveDatabaseClock(client: pg.Client, aheadMs: number): Promise<void> {
  const ahead = `interval '${Math.round(aheadMs)} milliseconds'`;
  await client.query('begin');
  for (const name of CLOCKS)
    await client.query(
      `create or replace function public.${name}() returns timestamptz
         language sql ${name === 'now' ? 'stable' : 'volatile'} as $$ select pg_catalog.${name}() + ${ahead} $$`,
    );
  await client.query('commit');
}

export async function returnDatabaseClock(client: pg.Client): Promise<void> {
  for (const name of CLOCKS) await client.query(`drop function if exists public.${name}()`);
}

export async function connectAsOwner(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, application_name: 'acuse:demo' });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** Nothing under way or due: time may advance. */
export async function isSettled(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ settled: boolean }>(
    `select not exists (select 1 from delivery_queue where leased_until is not null or due_at <= now())
        and not exists (select 1 from webhook_queue where lease_id is not null or due_at <= now())
        and not exists (select 1 from scheduled_messages where send_at <= now())
        and not exists (select 1 from acknowledgements where status = 'requested' and until <= now())
        and not exists (
          select 1 from acknowledgements a
            join messages m on m.tenant_id = a.tenant_id and m.message_id = a.message_id
           where a.status = 'requested' and m.sent_at is not null
             and m.recipient_address ~ '^(acknowledges|refuses|replies)[+]')
        and not exists (select 1 from pending_leaves)
        and not exists (select 1 from stamp_queue) as settled`,
  );
  return row!.settled;
}
