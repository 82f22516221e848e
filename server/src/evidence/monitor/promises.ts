import { equalBytes, fromHex, SHA256_BYTES, toHex } from '@acuse/evidence/bytes';
import { EvidenceError } from '@acuse/evidence/errors';
import { assertInclusion, leafHash } from '@acuse/evidence/merkle';
import { openPromise } from '@acuse/evidence/promise';
import { TILE_WIDTH } from '@acuse/evidence/tiles';
import type { VerifierKey } from '@acuse/evidence/verifier-key';
import { ed25519 } from '../../platform/ed25519.ts';
import { sha256 } from '../../platform/sha256.ts';
import type { Alerts } from './alert.ts';
import { mapSome, NOTHING, readOn, rootOf } from './follow.ts';
import type { LogClient } from './log-client.ts';
import type { Prover } from './prover.ts';
import type { MonitorState, PromiseState } from './state.ts';

/** Promised entries must be in the log in time. */

/** Bundles per step of a backward search. */
const BUNDLES_PER_STEP = 64;

/** Throws EvidenceError for a note that the log did not sign. */
export function addPromises(state: MonitorState, notes: readonly string[], key: VerifierKey): void {
  for (const note of notes) {
    const { canonicalHash, deadline } = openPromise(note, [key], sha256, ed25519);
    const hash = toHex(canonicalHash);
    if (state.promises.some((known) => known.hash === hash && known.deadline === deadline)) continue;
    state.promises.push({ note, hash, deadline, index: null, proven: false, searched: 0 });
  }
}

export function noticePromised(state: MonitorState, first: number, entries: Uint8Array): void {
  const open = new Map(state.promises.filter(({ index }) => index === null).map((each) => [each.hash, each]));
  if (open.size > 0) findIn(open, first, entries);
}

function findIn(open: Map<string, PromiseState>, first: number, entries: Uint8Array): void {
  for (let at = 0; at < entries.length && open.size > 0; at += SHA256_BYTES) {
    const found = open.get(toHex(entries.subarray(at, at + SHA256_BYTES)));
    if (found === undefined) continue;
    found.index = first + at / SHA256_BYTES;
    open.delete(found.hash);
  }
}

/**
 * Searches entries read before the promise was known, and proves those found. An overdue, missing entry is
 * reported only after re-reading everything against the signed root.
 */
export async function checkPromises(
  client: LogClient,
  prover: Prover,
  state: MonitorState,
  now: Date,
  alerts: Alerts,
): Promise<void> {
  const { verified } = state;
  if (verified === null) return;
  await searchBack(client, state, verified.size);
  for (const promise of state.promises) {
    if (promise.index === null) promise.searched = verified.size;
    else if (!promise.proven) await proveFound(prover, promise, verified, alerts);
  }
  const due = state.promises.filter(
    ({ index, deadline }) => index === null && deadline * 1000 < now.getTime(),
  );
  const fresh = due.filter(({ note }) => !state.incidents.some((incident) => incident.notes?.includes(note)));
  if (fresh.length === 0 || !(await readAllAgain(client, fresh, verified, alerts))) return;
  for (const promise of fresh) {
    const { hash, deadline, note, index } = promise;
    if (index !== null) await proveFound(prover, promise, verified, alerts);
    else
      alerts.add(
        'promise_broken',
        `entry ${hash} was promised by ${new Date(deadline * 1000).toISOString()} and is not among ${verified.size} entries`,
        [note, verified.note],
      );
  }
}

/** Backwards: recent promises are near the end. */
async function searchBack(client: LogClient, state: MonitorState, size: number): Promise<void> {
  const open = new Map(
    state.promises
      .filter(({ index, searched }) => index === null && searched < size)
      .map((each) => [each.hash, each]),
  );
  const from = Math.min(...[...open.values()].map(({ searched }) => Math.floor(searched / TILE_WIDTH)));
  for (let end = Math.ceil(size / TILE_WIDTH); open.size > 0 && end > from; end -= BUNDLES_PER_STEP) {
    const start = Math.max(from, end - BUNDLES_PER_STEP);
    const indexes = Array.from({ length: end - start }, (_, i) => start + i);
    const bundles = await mapSome(indexes, (index) =>
      client.entries(index, Math.min(TILE_WIDTH, size - index * TILE_WIDTH)),
    );
    findIn(open, start * TILE_WIDTH, new Uint8Array(Buffer.concat(bundles)));
  }
}

/** Presence in a bundle is a claim; the path proves it. */
async function proveFound(
  prover: Prover,
  promise: PromiseState,
  verified: NonNullable<MonitorState['verified']>,
  alerts: Alerts,
): Promise<void> {
  const { index, hash } = promise;
  try {
    const path = await prover.proveInclusion(index!, verified.size);
    const leaf = leafHash(fromHex(hash, SHA256_BYTES)!, sha256);
    assertInclusion({ leaf, index: index!, size: verified.size, path, root: verified.root }, sha256);
    promise.proven = true;
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    promise.index = null;
    alerts.add(
      'entries',
      `entry ${hash} is shown at index ${index}, which the tree does not confirm: ${error.detail}`,
    );
  }
}

/** Reads all entries again: only entries that give the root can prove absence. False: they do not give it. */
async function readAllAgain(
  client: LogClient,
  promises: readonly PromiseState[],
  verified: NonNullable<MonitorState['verified']>,
  alerts: Alerts,
): Promise<boolean> {
  const open = new Map(promises.map((each) => [each.hash, each]));
  const again = await readOn(
    { client, onEntries: (first, entries) => findIn(open, first, entries) },
    NOTHING,
    verified.size,
  );
  const sound = equalBytes(rootOf(again), verified.root);
  if (!sound)
    alerts.add('entries', `the ${verified.size} entries, read again, do not give the root that was signed`);
  return sound;
}
