import type { AuditSource } from '../../accounts/audit/append.ts';
import { apiError } from '../../errors.ts';
import { setNextAttempts } from '../../messages/state-store.ts';
import type { DbAndClock } from '../../platform/database/db.ts';
import { toClaimed } from '../claim/claimed-message.ts';
import { recordResults } from '../record/record.ts';
import {
  claimSelected,
  countSelected,
  makeSelectedDue,
  type Selection,
  type SelectionCounts,
} from './bulk-store.ts';
import { appendOperatorEntries } from './operator-entries.ts';
import { destinationOf } from './queue.ts';
import { type CancelDeps, cancelled, recordingFor } from './retry-cancel.ts';

/**
 * Bulk operations on waiting messages. The operator states their number: if it has changed, nothing is done.
 */

/** Messages per call; the rest is reported. */
export const BULK_MAX = 10_000;
/** Messages per transaction, so that a crash leaves whole slices. */
const SLICE = 200;

interface BulkDone {
  readonly done: number;
  /** Counted, but not done: over the limit, or claimed meanwhile. */
  readonly left: number;
}

/** With the normalised destination. Throws invalid_address. */
function readSelection(given: Selection): Selection {
  return { ...given, destination: given.destination === null ? null : destinationOf(given.destination) };
}

export function previewSelection(deps: DbAndClock, given: Selection): Promise<SelectionCounts> {
  const selection = readSelection(given);
  return deps.db.transact((tx) => countSelected(tx, selection, deps.clock.now()));
}

/** Makes deferred messages due. `count`: the expected number. Throws conflict, invalid_address. */
export async function retrySelected(
  deps: DbAndClock,
  given: Selection,
  count: number,
  source: AuditSource,
): Promise<BulkDone> {
  const selection = readSelection(given);
  await requireCount(deps, selection, 'retryable', count);
  const now = deps.clock.now();
  const { destination } = selection;
  return inSlices(count, (limit) =>
    deps.db.transact(async (tx) => {
      const moved = await makeSelectedDue(tx, selection, now, limit);
      if (moved.length > 0) await setNextAttempts(tx, moved, now);
      const touched = moved.map((row) => ({ tenantId: row.tenant_id, messageId: row.message_id }));
      await appendOperatorEntries(tx, { source, at: now, destination }, 'retry', touched);
      return { seen: moved.length, done: moved.length };
    }),
  );
}

/**
 * Cancels messages that no server has taken. `count`: the expected number. Messages claimed meanwhile are
 * sent. Throws conflict, invalid_address.
 */
export async function cancelSelected(
  deps: CancelDeps,
  given: Selection,
  count: number,
  source: AuditSource,
): Promise<BulkDone> {
  const selection = readSelection(given);
  await requireCount(deps, selection, 'cancellable', count);
  return inSlices(count, async (limit) => {
    // After a crash here the leases end and they come due again.
    const rows = await claimSelected(deps.db, selection, limit);
    const now = deps.clock.now();
    const results = rows.map((row) => cancelled(toClaimed(row), now, 'operator'));
    const recording = recordingFor(deps, { source, at: now, destination: selection.destination });
    const recorded = rows.length === 0 ? new Map() : await recordResults(recording, results);
    return { seen: rows.length, done: [...recorded.values()].filter((it) => it === 'recorded').length };
  });
}

async function requireCount(
  { db, clock }: DbAndClock,
  selection: Selection,
  what: 'retryable' | 'cancellable',
  count: number,
): Promise<void> {
  const found = (await db.transact((tx) => countSelected(tx, selection, clock.now())))[what];
  if (found !== count)
    throw apiError(
      'conflict',
      `There are ${found} such messages now, not ${count}: review them, then repeat with the new count.`,
    );
}

async function inSlices(
  count: number,
  act: (limit: number) => Promise<{ seen: number; done: number }>,
): Promise<BulkDone> {
  const wanted = Math.min(count, BULK_MAX);
  let [seen, done] = [0, 0];
  while (seen < wanted) {
    const limit = Math.min(SLICE, wanted - seen);
    const slice = await act(limit);
    seen += slice.seen;
    done += slice.done;
    if (slice.seen < limit) break;
  }
  return { done, left: count - done };
}
