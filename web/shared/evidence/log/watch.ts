import { readBundle } from '@acuse/evidence/bundle';
import { decodeUtf8, equalBytes, fromHex, toHex } from '@acuse/evidence/bytes';
import { type Checkpoint, openCheckpoint } from '@acuse/evidence/checkpoint';
import { assertCosigned } from '@acuse/evidence/cosignature';
import { EvidenceError } from '@acuse/evidence/errors';
import { type Note, parseNote } from '@acuse/evidence/note';
import { readTrustPolicy } from '@acuse/evidence/policy';
import { type InclusionPromise, openPromise } from '@acuse/evidence/promise';
import { parseVerifierKey, type VerifierKey } from '@acuse/evidence/verifier-key';
import { sha256 } from '@noble/hashes/sha2.js';
import { type LogReader, LogUnreachable } from '../../api/log.ts';
import { readHistory } from './history.ts';
import { createProver, type Prover } from './tree.ts';
import {
  type Fault,
  type FaultCode,
  type Held,
  type OwnEntry,
  STEPS,
  type Step,
  type StepName,
  type StepState,
  type WatchAnswer,
  type Watched,
  type WatchRequest,
} from './watched.ts';

/**
 * Holds the operator to its log: nothing that its pages or its API say is believed without a proof that leads
 * to a checkpoint which the log signed, and that checkpoint must continue the one that this browser knows.
 */
export async function watchLog(log: LogReader, request: WatchRequest): Promise<WatchAnswer> {
  try {
    return { kind: 'watched', watched: await watch(log, request) };
  } catch (error) {
    if (!(error instanceof LogUnreachable)) throw error;
    return { kind: 'unreachable', status: error.status };
  }
}

/** The clock of the reader's machine may be so far ahead before a promise seems to be late (s). */
const CLOCKS_DIFFER_SECONDS = 600;

interface Opened extends Checkpoint {
  readonly note: string;
  readonly parsed: Note;
}

async function watch(log: LogReader, request: WatchRequest): Promise<Watched> {
  const [keyText, noteBytes] = await Promise.all([log.key(), log.checkpoint()]);
  const { held } = request;
  const steps = new Map<StepName, Step>();
  const say = (name: StepName, state: StepState, count = 0, faults: readonly Fault[] = []) =>
    steps.set(name, { name, state: faults.length > 0 ? 'failed' : state, count, faults });

  // The key that is known here counts: with another one the operator signs for another log.
  const key = keyOf(held?.key ?? keyText);
  const isSame = held === null || held.key === keyText;
  const changed = `the log says that its key is ${keyText}, and was known by ${held?.key}`;
  say('key', held === null ? 'nothing' : 'ok', 1, isSame ? [] : [faultOf('other_key', changed)]);
  const newest = openNewest(noteBytes, isSame ? key : keyOf(keyText));
  say('signature', 'ok', 1, 'fault' in newest ? [newest.fault] : []);
  const known = held === null ? null : knownOf(held, key);
  const facts = { key: keyText, origin: key?.name ?? '', heldSize: known?.size ?? null };
  const nothing = { history: [], dueSeconds: null, openPromises: 0, witnesses: [] };
  if ('fault' in newest || key === null || !isSame)
    return { ...facts, newest: 'fault' in newest ? null : shown(newest), steps: inOrder(steps), ...nothing };

  const prover = createProver(log);
  const grown = known === null ? [] : await checkGrown(prover, known, newest);
  say('consistency', known === null ? 'nothing' : 'ok', known?.size ?? 0, grown);
  const past = await readHistory({ log, key, prover }, newest, [newest.size, request.sealedSize]);
  say('history', past.history.length === 0 ? 'nothing' : 'ok', past.history.length, past.faults);
  const entries = await checkEntries(prover, request.entries, newest);
  say('entries', request.entries.length === 0 ? 'nothing' : 'ok', request.entries.length, entries);
  const promises = await checkPromises(prover, request, key, newest);
  say('promises', request.promises.length === 0 ? 'nothing' : 'ok', request.promises.length, promises.faults);
  const witnesses = checkWitnesses(request.bundle, newest);
  say('witnesses', witnesses.state, witnesses.seen.length, witnesses.faults);
  return {
    ...facts,
    newest: shown(newest),
    steps: inOrder(steps),
    history: past.history,
    dueSeconds: promises.dueSeconds,
    openPromises: promises.open,
    witnesses: witnesses.seen,
  };
}

function inOrder(steps: ReadonlyMap<StepName, Step>): Step[] {
  return STEPS.map((name) => steps.get(name) ?? { name, state: 'unchecked', count: 0, faults: [] });
}

const shown = ({ note, size, rootHash }: Opened) => ({ note, size, root: toHex(rootHash) });

function faultOf(code: FaultCode, detail: string, notes: readonly string[] = []): Fault {
  return { code, detail, notes };
}

function keyOf(text: string): VerifierKey | null {
  try {
    return parseVerifierKey(text, sha256);
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    return null;
  }
}

function openNewest(bytes: Uint8Array, key: VerifierKey | null): Opened | { readonly fault: Fault } {
  const note = decodeUtf8(bytes) ?? '';
  try {
    if (key === null) throw new EvidenceError('key', 'not a verifier key');
    const { checkpoint, note: parsed } = openCheckpoint(bytes, [key]);
    return { ...checkpoint, note, parsed };
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    return { fault: faultOf('unsigned', error.message) };
  }
}

/** Null: not written by us. */
function knownOf({ note }: Held, key: VerifierKey | null): Opened | null {
  try {
    if (key === null) return null;
    return {
      ...openCheckpoint(note, [key]).checkpoint,
      note,
      parsed: parseNote(new TextEncoder().encode(note)),
    };
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    return null;
  }
}

async function checkGrown(prover: Prover, known: Opened, newest: Opened): Promise<Fault[]> {
  const notes = [known.note, newest.note];
  if (newest.size < known.size)
    return [faultOf('shrunk', `it had ${known.size} leaves and has ${newest.size}`, notes)];
  if (newest.size === known.size)
    return equalBytes(known.rootHash, newest.rootHash)
      ? []
      : [faultOf('forked', `two trees of ${known.size} leaves, both signed`, notes)];
  try {
    await prover.assertPrefix(known, newest);
    return [];
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    return [faultOf('rewritten', error.message, notes)];
  }
}

async function checkEntries(prover: Prover, entries: readonly OwnEntry[], newest: Opened): Promise<Fault[]> {
  const faults = entries.map(async ({ messageId, canonicalHash, index }) => {
    const hash = fromHex(canonicalHash) ?? new Uint8Array(0);
    return missingAt(prover, hash, { messageId, index }, newest);
  });
  return (await Promise.all(faults)).filter((fault) => fault !== null);
}

async function missingAt(
  prover: Prover,
  hash: Uint8Array,
  { messageId, index }: { readonly messageId: string; readonly index: number },
  newest: Opened,
): Promise<Fault | null> {
  // Sealed since the checkpoint was read: the next look has it.
  if (index >= newest.size) return null;
  try {
    await prover.assertEntry(hash, index, newest);
    return null;
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    return faultOf('entry_missing', `message ${messageId}: ${error.message}`, [newest.note]);
  }
}

interface Promises {
  readonly faults: readonly Fault[];
  readonly open: number;
  readonly dueSeconds: number | null;
}

async function checkPromises(
  prover: Prover,
  { promises, nowSeconds }: Pick<WatchRequest, 'promises' | 'nowSeconds'>,
  key: VerifierKey,
  newest: Opened,
): Promise<Promises> {
  const faults: Fault[] = [];
  const due: number[] = [];
  for (const { messageId, note, index } of promises) {
    const promise = openOwn(note, key);
    if ('fault' in promise) faults.push(promise.fault);
    else if (index !== null) {
      // It promised this very entry, whatever it says now.
      const fault = await missingAt(prover, promise.canonicalHash, { messageId, index }, newest);
      if (fault !== null) faults.push({ ...fault, code: 'promise_broken', notes: [note, newest.note] });
    } else if (promise.deadline + CLOCKS_DIFFER_SECONDS < nowSeconds)
      faults.push(
        faultOf('promise_broken', `message ${messageId}: the time is up and it has no entry`, [
          note,
          newest.note,
        ]),
      );
    else due.push(promise.deadline);
  }
  return { faults, open: due.length, dueSeconds: due.length === 0 ? null : Math.min(...due) };
}

function openOwn(note: string, key: VerifierKey): InclusionPromise | { readonly fault: Fault } {
  try {
    return openPromise(note, [key], sha256);
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    return { fault: faultOf('promise_unsigned', error.message, [note]) };
  }
}

interface Witnesses {
  readonly state: StepState;
  readonly seen: Watched['witnesses'];
  readonly faults: readonly Fault[];
}

/** The witnesses that bundles of this operator name; those that have not signed yet may do so any moment. */
function checkWitnesses(bundle: Uint8Array | null, { parsed }: Opened): Witnesses {
  const witnesses = bundle === null ? [] : witnessesOf(bundle);
  const faults: Fault[] = [];
  const seen = witnesses.map((witness) => {
    const { name } = witness;
    if (!parsed.signatures.some((line) => line.name === name)) return { name, unixSeconds: null };
    try {
      return { name, unixSeconds: assertCosigned(parsed, witness) };
    } catch (error) {
      if (!(error instanceof EvidenceError)) throw error;
      faults.push(faultOf('cosignature', error.message));
      return { name, unixSeconds: null };
    }
  });
  const isWaiting = seen.some(({ unixSeconds }) => unixSeconds === null);
  return { state: seen.length === 0 ? 'nothing' : isWaiting ? 'waiting' : 'ok', seen, faults };
}

function witnessesOf(bundle: Uint8Array): readonly VerifierKey[] {
  try {
    const policy = readBundle(bundle).get('policy.json');
    const text = policy && decodeUtf8(policy);
    return text ? readTrustPolicy(JSON.parse(text), sha256).witnessKeys : [];
  } catch (error) {
    if (error instanceof EvidenceError || error instanceof SyntaxError) return [];
    throw error;
  }
}
