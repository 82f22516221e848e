import { fromBase64, toHex, utf8 } from '@acuse/evidence/bytes';
import { openCheckpoint } from '@acuse/evidence/checkpoint';
import { EvidenceError } from '@acuse/evidence/errors';
import { readTimeStampPolicy } from '@acuse/evidence/timestamp/manifest';
import type { TimeStampPolicy } from '@acuse/evidence/timestamp/policy';
import { verifyTimeStamp } from '@acuse/evidence/timestamp/verify';
import type { VerifierKey } from '@acuse/evidence/verifier-key';
import { sha256 } from '@noble/hashes/sha2.js';
import type { LogReader } from '../../api/log.ts';
import type { Prover, Tree } from './tree.ts';
import type { Fault, Past } from './watched.ts';

/** Checkpoints that are gone back to (each is two requests and a constancia to verify). */
const PAST_MAX = 10;

interface HistoryDeps {
  readonly log: LogReader;
  readonly key: VerifierKey;
  readonly prover: Prover;
}

/** Goes back from a checkpoint that has a constancia, by what each says of the one before. */
export async function readHistory(
  deps: HistoryDeps,
  newest: Tree & { readonly note: string },
  fromSizes: readonly (number | null)[],
): Promise<{ history: Past[]; faults: Fault[] }> {
  const history: Past[] = [];
  const faults: Fault[] = [];
  for (const from of fromSizes) {
    let size = from ?? 0;
    while (size > 0 && history.length < PAST_MAX) {
      const given = await deps.log.certificate(size);
      if (given === null) break;
      const { past, previous, fault } = await checkOne(deps, newest, size, given);
      history.push(past);
      if (fault !== null) faults.push(fault);
      size = previous;
    }
    if (history.length > 0) break;
  }
  return { history, faults };
}

async function checkOne(
  { key, prover }: HistoryDeps,
  newest: Tree & { readonly note: string },
  size: number,
  given: unknown,
): Promise<{ past: Past; previous: number; fault: Fault | null }> {
  let past: Past = { size, root: '', ok: false, stamp: null };
  let notes: readonly string[] = [];
  try {
    const { note, previous, token, policy } = readDocument(given, size);
    const opened = openCheckpoint(note, [key]);
    const { checkpoint } = opened;
    past = { ...past, root: toHex(checkpoint.rootHash) };
    if (checkpoint.size !== size)
      throw new EvidenceError('checkpoint', `is of ${checkpoint.size} leaves, not of ${size}`);
    // Two statements, both signed by the log.
    notes = [note, newest.note];
    await prover.assertPrefix(checkpoint, newest);
    notes = [note];
    past = { ...past, ok: true, stamp: await stampOf(token, utf8(opened.note.text), policy) };
    return { past, previous, fault: null };
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    const detail = `checkpoint of ${size} leaves: ${error.message}`;
    return { past: { ...past, ok: false }, previous: 0, fault: { code: 'history', detail, notes } };
  }
}

function readDocument(value: unknown, size: number) {
  const fields = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const { checkpoint: note, previous_tree_size: before, token, policy } = fields;
  const bytes = typeof token === 'string' ? fromBase64(token) : undefined;
  const previous = typeof before === 'number' && Number.isSafeInteger(before) ? before : -1;
  if (typeof note !== 'string' || bytes === undefined || previous < 0 || previous >= size)
    throw new EvidenceError('constancia', 'is not in the expected form');
  return { note, previous, token: bytes, policy: readTimeStampPolicy(policy as never) };
}

async function stampOf(
  token: Uint8Array,
  stamped: Uint8Array,
  policy: TimeStampPolicy,
): Promise<NonNullable<Past['stamp']>> {
  const expected = { imprint: sha256(stamped), hashAlgorithm: 'sha256' } as const;
  const result = await verifyTimeStamp(token, expected, policy);
  if (!result.ok) {
    const failed = result.checks.find(({ ok }) => !ok);
    throw new EvidenceError('constancia', `${failed?.name}: ${failed?.detail}`);
  }
  const { genTime, subject, development } = result.facts;
  return { genTime, authority: subject, development };
}
