import { fromBase64, utf8 } from '@acuse/evidence/bytes';
import { openCheckpoint } from '@acuse/evidence/checkpoint';
import { EvidenceError } from '@acuse/evidence/errors';
import { readTimeStampPolicy } from '@acuse/evidence/timestamp/manifest';
import type { TimeStampFacts, TimeStampPolicy } from '@acuse/evidence/timestamp/policy';
import { verifyTimeStamp } from '@acuse/evidence/timestamp/verify';
import type { VerifierKey } from '@acuse/evidence/verifier-key';
import { ed25519 } from '../../platform/ed25519.ts';
import { sha256 } from '../../platform/sha256.ts';
import type { Alerts } from './alert.ts';
import type { LogClient } from './log-client.ts';
import type { Prover } from './prover.ts';
import type { MonitorState } from './state.ts';

/** Checks that checkpoints get their constancias in time. */

interface ConstanciaDeps {
  readonly client: LogClient;
  readonly prover: Prover;
  readonly key: VerifierKey;
  /** Null: the authorities that the log names, which the report says. */
  readonly authorities: readonly TimeStampPolicy[] | null;
  readonly withinMs: number;
  readonly now: Date;
}

/** The rest waits for the next pass. */
const MAX_PER_PASS = 2_000;

/** Queues a checkpoint; earlier ones are found on the way back. */
export function expectConstancia(state: MonitorState, size: number, bottom: number, now: Date): void {
  if (size > bottom) state.constancias.push({ top: size, bottom, since: now.toISOString() });
}

/** Walks back from each queued checkpoint. */
export async function checkConstancias(
  deps: ConstanciaDeps,
  state: MonitorState,
  alerts: Alerts,
): Promise<void> {
  let left = MAX_PER_PASS;
  const open: MonitorState['constancias'] = [];
  for (const range of state.constancias) {
    let { top } = range;
    while (top > range.bottom && left > 0) {
      left--;
      const previous = await checkOne(deps, state, top, range, alerts);
      if (previous === null) break;
      top = previous;
    }
    if (top > range.bottom) open.push({ ...range, top });
    else if (top < range.bottom)
      alerts.add(
        'checkpoint_missing',
        `the checkpoint of ${range.bottom} leaves was seen, but the log's constancias go from a later one to that of ${top}`,
        state.verified === null ? [] : [state.verified.note],
      );
  }
  state.constancias = open;
}

interface Document {
  readonly note: string;
  readonly previousSize: number;
  readonly token: Uint8Array;
  readonly policy: unknown;
}

/** The previous checkpoint's size; null: missing or invalid constancia. */
async function checkOne(
  deps: ConstanciaDeps,
  state: MonitorState,
  size: number,
  range: { since: string },
  alerts: Alerts,
): Promise<number | null> {
  const { now, withinMs, key, client } = deps;
  try {
    const given = await client.certificate(size);
    if (given === null) {
      if (now.getTime() - Date.parse(range.since) > withinMs)
        alerts.add(
          'constancia_missing',
          `the checkpoint of ${size} leaves has none; it was first seen at ${range.since}`,
        );
      return null;
    }
    const document = readDocument(given, size);
    const { checkpoint, note } = openCheckpoint(document.note, [key], ed25519);
    if (checkpoint.size !== size)
      throw new EvidenceError('constancia', `is over the checkpoint of ${checkpoint.size}`);
    const signed = { size, rootHash: checkpoint.rootHash, note: document.note };
    const whole = state.verified && { ...state.verified, rootHash: state.verified.root };
    if (whole !== null && size <= whole.size && !(await deps.prover.checkPrefix(signed, whole, alerts)))
      return null;
    const facts = await verifyToken(deps, document, utf8(note.text));
    if (state.sealed === null || size > state.sealed.size)
      state.sealed = {
        size,
        genTime: facts.genTime,
        authority: facts.subject,
        development: facts.development,
      };
    return document.previousSize;
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    alerts.add('constancia', `over the checkpoint of ${size} leaves: ${error.message}`);
    return null;
  }
}

function readDocument(value: unknown, size: number): Document {
  const given = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const { checkpoint: note, previous_tree_size: previousSize, token, policy } = given;
  const bytes = typeof token === 'string' ? fromBase64(token) : undefined;
  if (typeof note !== 'string' || bytes === undefined)
    throw new EvidenceError('constancia', 'is not as it should be');
  if (!Number.isSafeInteger(previousSize) || (previousSize as number) < 0 || (previousSize as number) >= size)
    throw new EvidenceError('constancia', `names ${String(previousSize)} as the checkpoint before`);
  return { note, previousSize: previousSize as number, token: bytes, policy };
}

async function verifyToken(
  { authorities }: ConstanciaDeps,
  { token, policy }: Document,
  stamped: Uint8Array,
): Promise<TimeStampFacts> {
  const expected = { imprint: sha256(stamped), hashAlgorithm: 'sha256' } as const;
  let fault = 'no authority is trusted';
  for (const authority of authorities ?? [readTimeStampPolicy(policy)]) {
    const result = await verifyTimeStamp(token, expected, authority);
    if (result.ok) return result.facts;
    const failed = result.checks.find(({ ok }) => !ok);
    fault = `${failed?.name}: ${failed?.detail}`;
  }
  throw new EvidenceError('constancia', fault);
}
