import { decodeUtf8, toHex, utf8 } from '@acuse/evidence/bytes';
import { openCheckpoint } from '@acuse/evidence/checkpoint';
import { EvidenceError } from '@acuse/evidence/errors';
import { formatSignatureLine, MAX_NOTE_BYTES } from '@acuse/evidence/note';
import type { VerifierKey } from '@acuse/evidence/verifier-key';
import {
  formatAddCheckpoint,
  MAX_COSIGNATURES_BYTES,
  readCosignature,
  readTreeSize,
} from '@acuse/evidence/witness';
import type { Dispatcher } from 'undici';
import type { Clock } from '../../platform/clock.ts';
import { ed25519 } from '../../platform/ed25519.ts';
import { cappedRequest, RequestFailed } from '../../platform/network/capped-request.ts';
import { sha256 } from '../../platform/sha256.ts';
import { quote } from '../stamp/sealer-http.ts';
import type { Witness } from './witnesses.ts';

/** Submits a checkpoint to a witness. C2SP tlog-witness, "add-checkpoint" */
interface ExchangeDeps {
  readonly prove: (oldSize: number, newSize: number) => Promise<Uint8Array[]>;
  readonly logKey: VerifierKey;
  readonly clock: Clock;
  readonly dispatcher?: Dispatcher;
  readonly timeoutMs?: number;
}

export type ExchangeOutcome =
  | {
      readonly kind: 'cosigned';
      readonly treeSize: number;
      readonly line: string;
      readonly witnessedAt: Date;
    }
  /** It already cosigned a later checkpoint. */
  | { readonly kind: 'ahead'; readonly treeSize: number }
  /** `contradicts`: it knows another history. */
  | { readonly kind: 'failed'; readonly reason: string; readonly contradicts?: true };

const TIMEOUT_MS = 10_000;
/** Gives up on a witness that keeps changing its size. */
const MAX_TRIES = 3;
/** A cosignature of another day proves no time. */
const MAX_CLOCK_SKEW_MS = 24 * 60 * 60 * 1000;

/** Never throws for the witness's faults. `knownSize`: the size we believe; its answer corrects it. */
export async function takeToWitness(
  deps: ExchangeDeps,
  witness: Witness,
  note: string,
  knownSize: number,
  signal: AbortSignal,
): Promise<ExchangeOutcome> {
  const { checkpoint, note: signed } = openCheckpoint(note, [deps.logKey], ed25519);
  let oldSize = knownSize;
  for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
    try {
      const path = await deps.prove(oldSize, checkpoint.size);
      const answer = await cappedRequest({
        url: `${witness.url}/add-checkpoint`,
        method: 'POST',
        headers: { 'content-type': 'text/plain; charset=utf-8' },
        body: formatAddCheckpoint({ oldSize, path, note }),
        maxBytes: MAX_COSIGNATURES_BYTES,
        timeoutMs: deps.timeoutMs ?? TIMEOUT_MS,
        signal,
        ...(deps.dispatcher !== undefined && { dispatcher: deps.dispatcher }),
      });
      if (answer.status === 200) {
        const { line, unixSeconds } = readCosignature(answer.bytes, signed.text, witness.key);
        if (Math.abs(unixSeconds * 1000 - deps.clock.now().getTime()) > MAX_CLOCK_SKEW_MS)
          return failed(`signed for the time ${unixSeconds}, which is not now`);
        return {
          kind: 'cosigned',
          treeSize: checkpoint.size,
          line: formatSignatureLine(line),
          witnessedAt: new Date(unixSeconds * 1000),
        };
      }
      const size = answer.status === 409 ? readTreeSize(answer.bytes) : undefined;
      const refused = `answered HTTP ${answer.status}: ${quote(answer.bytes)}`;
      // Our consistency proof from its checkpoint fails.
      if (answer.status === 422) return { ...failed(refused), contradicts: true };
      if (size === undefined) return failed(refused);
      if (size > checkpoint.size) return { kind: 'ahead', treeSize: size };
      if (size === oldSize)
        return {
          ...failed(
            `knows another tree of ${size} leaves, with another root than ours: one of the two histories is false`,
          ),
          contradicts: true,
        };
      oldSize = size;
    } catch (error) {
      if (error instanceof RequestFailed || error instanceof EvidenceError) return failed(error.message);
      throw error;
    }
  }
  return failed(`named another size each time it was asked, ${MAX_TRIES} times`);
}

/** The newest checkpoint that a witness shows; null: none. C2SP tlog-witness */
export async function readFromWitness(
  { dispatcher, timeoutMs = TIMEOUT_MS }: Pick<ExchangeDeps, 'dispatcher' | 'timeoutMs'>,
  witness: Witness,
  origin: string,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const answer = await cappedRequest({
      url: `${witness.monitoringUrl}/${toHex(sha256(utf8(origin)))}/checkpoint`,
      method: 'GET',
      headers: {},
      maxBytes: MAX_NOTE_BYTES,
      timeoutMs,
      signal,
      ...(dispatcher !== undefined && { dispatcher }),
    });
    return answer.status === 200 ? (decodeUtf8(answer.bytes) ?? null) : null;
  } catch (error) {
    if (error instanceof RequestFailed) return null;
    throw error;
  }
}

function failed(reason: string): Extract<ExchangeOutcome, { kind: 'failed' }> {
  return { kind: 'failed', reason };
}
