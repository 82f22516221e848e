import { equalBytes } from '@acuse/evidence/bytes';
import { type Checkpoint, openCheckpoint } from '@acuse/evidence/checkpoint';
import { assertCosignedMldsa44 } from '@acuse/evidence/cosignature-mldsa44';
import { EvidenceError } from '@acuse/evidence/errors';
import type { Note } from '@acuse/evidence/note';
import type { PinnedKey } from '@acuse/evidence/policy';
import type { TimeStampPolicy } from '@acuse/evidence/timestamp/policy';
import type { VerifierKey } from '@acuse/evidence/verifier-key';
import { requiredMldsa44, secondSignatures } from '@acuse/evidence/verify-mldsa44';
import { ed25519 } from '../../platform/ed25519.ts';
import { type AlertCode, type Alerts, createAlerts } from './alert.ts';
import { checkConstancias, expectConstancia } from './constancias.ts';
import { NOTHING, readOn, rootOf } from './follow.ts';
import { type LogClient, LogUnavailable } from './log-client.ts';
import { findEnd, readLast, tellEnd } from './log-end.ts';
import { addPromises, checkPromises, noticePromised } from './promises.ts';
import { createProver, type Prover } from './prover.ts';
import { type LookCounts, type MonitorReport, makeReport } from './report.ts';
import { type Rereading, reread } from './reread.ts';
import type { MonitorState } from './state.ts';
import { checkWitnesses } from './witnesses.ts';

/**
 * Follows a log from outside with its URL and key: one history, matching entries, kept promises, timely
 * constancias.
 */
interface MonitorDeps {
  readonly client: LogClient;
  readonly key: VerifierKey;
  readonly now: () => Date;
  readonly sleep: (ms: number) => Promise<void>;
  readonly save: (state: MonitorState) => void;
  /** Absent: entries are not re-read. */
  readonly rereading?: Rereading;
  readonly onProgress?: (read: number, size: number) => void;
}

export interface MonitorOptions {
  readonly promises: readonly string[];
  readonly seen: readonly string[];
  /** ML-DSA-44 keys: each that is trusted now must also have signed a new checkpoint. */
  readonly secondKeys: readonly PinnedKey[];
  /** Null: the authorities that the log names. */
  readonly authorities: readonly TimeStampPolicy[] | null;
  readonly constanciaWithinMs: number;
  readonly witnessKeys: readonly VerifierKey[];
  readonly witnessQuorum: number;
  readonly witnessWithinMs: number;
}

/** A smaller checkpoint may be cached: retries, and the pause between them (ms). */
const STALE_TRIES = 3;
const STALE_WAIT_MS = 2_500;
/** Proven once, kept until acknowledged. */
const LASTING: ReadonlySet<AlertCode> = new Set(['fork', 'promise_broken', 'checkpoint_missing']);
const MAX_INCIDENTS = 100;
const SAVE_EVERY_ENTRIES = 256 * 1024;

/** One pass. Updates and saves the state; throws only for local faults and aborts. */
export async function lookOnce(
  given: MonitorDeps,
  options: MonitorOptions,
  state: MonitorState,
): Promise<MonitorReport> {
  const alerts = createAlerts();
  const counts: LookCounts = { read: 0, unknownCosignatures: 0 };
  addPromises(state, options.promises, given.key);
  let deps = given;
  try {
    const before = state.verified;
    const look = await readShown(given, options.seen, state, alerts);
    const { shown } = look;
    deps = look.deps;
    const prover = createProver(deps.client);
    if (shown !== null) {
      const isSigned = await checkSecond(options.secondKeys, deps, state, shown, alerts);
      if (isSigned && (await growTo(deps, state, shown, { prover, alerts, counts }))) {
        counts.unknownCosignatures = checkWitnesses(
          {
            keys: options.witnessKeys,
            quorum: options.witnessQuorum,
            withinMs: options.witnessWithinMs,
            now: deps.now(),
          },
          state,
          shown.note,
          shown.checkpoint.size,
          alerts,
        );
        if (deps.rereading !== undefined && before !== null)
          await reread(deps.client, before, deps.rereading, alerts);
      }
      await compareSeen(deps, prover, state, look.seen, alerts);
      await checkPromises(deps.client, prover, state, deps.now(), alerts);
      await checkConstancias(
        {
          client: deps.client,
          prover,
          key: deps.key,
          authorities: options.authorities,
          withinMs: options.constanciaWithinMs,
          now: deps.now(),
        },
        state,
        alerts,
      );
    }
  } catch (error) {
    if (error instanceof LogUnavailable) alerts.add('unavailable', error.message);
    else if (error instanceof EvidenceError && isAlertCode(error.check))
      alerts.add(error.check, error.detail);
    else throw error;
  }
  keepIncidents(state, alerts, deps.now());
  deps.save(state);
  return makeReport(
    { log: deps.key.name, pinned: options.authorities !== null, now: deps.now() },
    state,
    alerts,
    counts,
  );
}

interface Shown {
  readonly checkpoint: Checkpoint;
  readonly note: Note;
  readonly text: string;
}

interface Look {
  readonly deps: MonitorDeps;
  readonly shown: Shown | null;
  /** Comparable checkpoints that others were shown. */
  readonly seen: readonly string[];
}

/** A log that does not grow may have ended; its remains are at its permanent address. */
async function readShown(
  deps: MonitorDeps,
  seen: readonly string[],
  state: MonitorState,
  alerts: Alerts,
): Promise<Look> {
  const { verified } = state;
  const found = createAlerts();
  const shown = await readCheckpoint(deps, state, found);
  const hasGrown = shown !== null && verified !== null && shown.checkpoint.size > verified.size;
  const end = hasGrown ? null : await findEnd(deps);
  if (end === null) {
    for (const { code, detail, notes } of found.list) alerts.add(code, detail, notes);
    return { deps, shown, seen };
  }
  tellEnd(end, state, { key: deps.key, seen, alerts });
  const left = { ...deps, client: deps.client.of(deps.key) };
  const last = await readLast(left, end, state, alerts);
  const kept = seen.filter(
    (text) => openCheckpoint(text, [deps.key], ed25519).checkpoint.size <= end.end.kept.size,
  );
  return { deps: left, shown: last && openShown(last, deps.key), seen: kept };
}

function openShown(bytes: Uint8Array, key: VerifierKey): Shown {
  const { checkpoint, note } = openCheckpoint(bytes, [key], ed25519);
  return { checkpoint, note, text: Buffer.from(bytes).toString('utf8') };
}

async function readCheckpoint(deps: MonitorDeps, state: MonitorState, alerts: Alerts): Promise<Shown | null> {
  for (let attempt = 1; ; attempt++) {
    const bytes = await deps.client.checkpoint();
    let shown: Shown;
    try {
      shown = openShown(bytes, deps.key);
    } catch (error) {
      if (!(error instanceof EvidenceError)) throw error;
      alerts.add('checkpoint', error.message);
      return null;
    }
    const { verified } = state;
    if (verified === null || shown.checkpoint.size >= verified.size) return shown;
    if (attempt >= STALE_TRIES) {
      alerts.add(
        'rollback',
        `${shown.checkpoint.size} leaves are shown, ${verified.size} were at ${verified.seenAt}`,
        [verified.note, shown.text],
      );
      return null;
    }
    await deps.sleep(STALE_WAIT_MS);
  }
}

/** False: a checkpoint that was not seen before lacks a second signature, an alert says which. */
async function checkSecond(
  given: readonly PinnedKey[],
  { key: { name }, now }: MonitorDeps,
  { verified }: MonitorState,
  { checkpoint, note, text }: Shown,
  alerts: Alerts,
): Promise<boolean> {
  if (verified !== null && checkpoint.size === verified.size) return true;
  const second = await secondSignatures({ mldsa44Keys: given });
  try {
    for (const key of requiredMldsa44(second, name, now())) assertCosignedMldsa44(note, key, second.mldsa44);
    return true;
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    alerts.add('checkpoint', `of ${checkpoint.size} leaves: ${error.detail}`, [text]);
    return false;
  }
}

/** False: not trusted, an alert says why. */
async function growTo(
  deps: MonitorDeps,
  state: MonitorState,
  shown: Shown,
  {
    prover,
    alerts,
    counts,
  }: { readonly prover: Prover; readonly alerts: Alerts; readonly counts: { read: number } },
): Promise<boolean> {
  const { size, rootHash } = shown.checkpoint;
  const { verified } = state;
  if (verified !== null && size === verified.size) {
    if (equalBytes(rootHash, verified.root)) return true;
    alerts.add('fork', `two trees of ${size} leaves are signed`, [verified.note, shown.text]);
    return false;
  }
  const from = verified ?? NOTHING;
  let grown = from;
  // Resumes an interrupted pass, and drops it if it leads nowhere.
  for (const start of state.reading !== null && state.reading.size <= size ? [state.reading, from] : [from]) {
    let savedAt = start.size;
    // Tile alerts count only once the root matches.
    const tiles = createAlerts();
    grown = await readOn(
      {
        client: deps.client,
        alerts: tiles,
        onEntries: (first, entries) => noticePromised(state, first, entries),
        onStep(step) {
          deps.onProgress?.(step.size, size);
          if (step.size - savedAt < SAVE_EVERY_ENTRIES) return;
          savedAt = step.size;
          state.reading = step;
          deps.save(state);
        },
      },
      start,
      size,
    );
    counts.read += size - start.size;
    state.reading = null;
    if (!equalBytes(rootOf(grown), rootHash)) continue;
    for (const { code, detail } of tiles.list) alerts.add(code, detail);
    break;
  }
  if (!equalBytes(rootOf(grown), rootHash)) {
    await tellWhy(prover, state, shown, alerts);
    return false;
  }
  const seenAt = deps.now().toISOString();
  expectConstancia(state, size, verified?.size ?? 0, deps.now());
  state.verified = { ...grown, root: rootHash, note: shown.text, seenAt };
  deps.save(state);
  return true;
}

/** The entries do not give the root: finds out whether tree or entries are wrong. */
async function tellWhy(prover: Prover, state: MonitorState, shown: Shown, alerts: Alerts): Promise<void> {
  const { verified } = state;
  const { size, rootHash } = shown.checkpoint;
  for (const promise of state.promises) if (!promise.proven) promise.index = null;
  const now = { size, rootHash, note: shown.text };
  const before = verified && { ...verified, rootHash: verified.root };
  if (before === null || (await prover.checkPrefix(before, now, alerts)))
    alerts.add('entries', `the entries up to ${size} do not give the root that is signed`, [shown.text]);
}

/** A log with two faces shows each of them its own. */
async function compareSeen(
  deps: MonitorDeps,
  prover: Prover,
  state: MonitorState,
  seen: readonly string[],
  alerts: Alerts,
): Promise<void> {
  const { verified } = state;
  for (const text of seen) {
    const { checkpoint } = openCheckpoint(text, [deps.key], ed25519);
    if (verified === null) continue;
    if (checkpoint.size > verified.size) {
      alerts.add('rollback', `others were shown ${checkpoint.size} leaves, here are ${verified.size}`, [
        text,
        verified.note,
      ]);
      continue;
    }
    const theirs = { size: checkpoint.size, rootHash: checkpoint.rootHash, note: text };
    await prover.checkPrefix(theirs, { ...verified, rootHash: verified.root }, alerts);
  }
}

function isAlertCode(check: string): check is AlertCode {
  return ['checkpoint', 'entries', 'tile', 'constancia'].includes(check);
}

function keepIncidents(state: MonitorState, alerts: Alerts, now: Date): void {
  const known = new Set(state.incidents.map(({ code, notes }) => JSON.stringify([code, notes])));
  for (const alert of alerts.list)
    if (
      LASTING.has(alert.code) &&
      !known.has(JSON.stringify([alert.code, alert.notes])) &&
      state.incidents.length < MAX_INCIDENTS
    )
      state.incidents.push({ ...alert, at: now.toISOString() });
}
