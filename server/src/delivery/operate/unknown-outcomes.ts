import type { AuditSource } from '../../accounts/audit/append.ts';
import { apiError } from '../../errors.ts';
import { setNextAttempts } from '../../messages/state-store.ts';
import type { DbAndClock } from '../../platform/database/db.ts';
import { isId } from '../../platform/ids.ts';
import { type ClaimedMessage, toClaimed } from '../claim/claimed-message.ts';
import { decide } from '../record/outcome.ts';
import { recordUnqueued } from '../record/record.ts';
import { type Attempted, untried } from '../record/result.ts';
import { appendOperatorEntries } from './operator-entries.ts';
import { destinationOf } from './queue.ts';
import { type CancelDeps, cancelled, recordingFor } from './retry-cancel.ts';
import {
  countUnknown,
  holdQueued,
  listUnknown,
  readUnknownAsClaimed,
  requeueUnknown,
  takeUnknown,
  type UnknownFilter,
  type UnknownRow,
} from './unknown-outcomes-store.ts';

/**
 * After a restore, waiting messages may have been sent already. They leave the queue, and an operator decides
 * about each, or about many (docs/decisions/0037).
 */

const SLICE = 500;
/** Extra time for a message that expired while held (ms). */
const TRIED_FOR_MS = 4 * 3_600_000;

/** Moves the whole queue out; `stay` runs between transactions and may throw. */
export async function holdQueue({ db, clock }: DbAndClock, stay: () => Promise<void>): Promise<number> {
  for (let total = 0; ; ) {
    await stay();
    // After a crash here, the next call continues.
    const held = await db.transact((tx) => holdQueued(tx, clock.now(), SLICE));
    total += held;
    if (held < SLICE) return total;
  }
}

interface ListedUnknown {
  readonly total: number;
  readonly messages: readonly UnknownRow[];
}

export async function readUnknown(
  { db }: DbAndClock,
  given: UnknownFilter,
  limit: number,
): Promise<ListedUnknown> {
  const filter = readFilter(given);
  return { total: await countUnknown(db, filter), messages: await listUnknown(db, filter, limit) };
}

/** send: tried now, though the recipient may have it; the others end it. */
export const RESOLUTIONS = ['send', 'cancel', 'bounce'] as const;
export type Resolution = (typeof RESOLUTIONS)[number];

export async function resolveUnknown(
  deps: CancelDeps,
  given: UnknownFilter,
  how: Resolution,
  source: AuditSource,
): Promise<number> {
  const filter = readFilter(given);
  const done = how === 'send' ? await sendAll(deps, filter, source) : await endAll(deps, filter, how, source);
  if (done === 0 && filter.messageId !== null)
    throw apiError('not_found', `No message with the id ${filter.messageId} has an unknown outcome.`);
  return done;
}

async function sendAll({ db, clock }: CancelDeps, filter: UnknownFilter, source: AuditSource) {
  for (let done = 0; ; ) {
    const now = clock.now();
    const expiresAt = new Date(now.getTime() + TRIED_FOR_MS);
    const sent = await db.transact(async (tx) => {
      const rows = await requeueUnknown(tx, filter, { now, expiresAt, limit: SLICE });
      if (rows.length > 0) await setNextAttempts(tx, rows, now);
      const touched = rows.map((row) => ({ tenantId: row.tenant_id, messageId: row.message_id }));
      await appendOperatorEntries(tx, { source, at: now, destination: filter.destination }, 'retry', touched);
      return rows.length;
    });
    done += sent;
    if (sent < SLICE) return done;
  }
}

async function endAll(
  deps: CancelDeps,
  filter: UnknownFilter,
  how: 'cancel' | 'bounce',
  source: AuditSource,
): Promise<number> {
  let done = 0;
  for (let after: string | null = null; ; ) {
    const rows = await readUnknownAsClaimed(deps.db, filter, after, SLICE);
    for (const row of rows) {
      const now = deps.clock.now();
      const item = toClaimed(row);
      const result = how === 'cancel' ? cancelled(item, now, 'operator') : givenUp(item, now);
      const recording = recordingFor(deps, { source, at: now }, how);
      if (await recordUnqueued(recording, result, (tx) => takeUnknown(tx, row.tenant_id, row.message_id)))
        done++;
    }
    if (rows.length < SLICE) return done;
    after = rows.at(-1)!.message_id;
  }
}

const GIVEN_UP =
  'the database was restored to an earlier point: nobody knows whether it was sent, and the operator gave it up';

function givenUp(item: ClaimedMessage, now: Date): Attempted {
  const fact = { kind: 'fault', detail: GIVEN_UP } as const;
  const judged = { fact, mx: null, attempts: item.attemptsMade + 1, now, expiresAt: now, random: 0 };
  return untried(item, now, { fact, decision: decide(judged) });
}

function readFilter(given: UnknownFilter): UnknownFilter {
  for (const id of [given.messageId, given.tenantId])
    if (id !== null && !isId(id)) throw apiError('not_found', `Nothing has the id ${id}.`);
  return { ...given, destination: given.destination === null ? null : destinationOf(given.destination) };
}
