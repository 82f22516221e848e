import { toHex, utf8 } from '@acuse/evidence/bytes';
import type { Checkpoint } from '@acuse/evidence/checkpoint';
import { cosign } from '@acuse/evidence/cosignature';
import { EvidenceError } from '@acuse/evidence/errors';
import { formatNote, formatSignatureLine } from '@acuse/evidence/note';
import type { VerifierKey } from '@acuse/evidence/verifier-key';
import { decideCosignature, parseAddCheckpoint, TREE_SIZE_TYPE } from '@acuse/evidence/witness';
import type { Clock } from '../../platform/clock.ts';
import { ed25519 } from '../../platform/ed25519.ts';
import type { LoopLog } from '../../platform/logger.ts';
import { sha256 } from '../../platform/sha256.ts';
import type { WitnessKey } from './key.ts';
import type { WitnessState } from './state.ts';

/** Signs only checkpoints that continue all it signed before. C2SP tlog-witness */
export interface WitnessDeps {
  readonly key: WitnessKey;
  /** Each key's name is its log's origin. */
  readonly logKeys: readonly VerifierKey[];
  readonly state: WitnessState;
  readonly clock: Clock;
  readonly log: LoopLog;
}

export interface WitnessAnswer {
  readonly status: 200 | 400 | 403 | 404 | 409 | 422;
  readonly type: string;
  readonly body: string;
}

const TEXT = 'text/plain; charset=utf-8';

/**
 * One add-checkpoint, synchronous, so that a concurrent request sees the result. Throws, without signing, if
 * the state cannot be stored.
 */
export function addCheckpoint(deps: WitnessDeps, body: Uint8Array): WitnessAnswer {
  const { key, logKeys, state, log } = deps;
  const witnessed = new Set(logKeys.map(({ name }) => name));
  let decision: ReturnType<typeof decideCosignature>;
  try {
    const knownOf = (origin: string) => (witnessed.has(origin) ? state.find(origin) : undefined);
    decision = decideCosignature(parseAddCheckpoint(body), logKeys, knownOf, sha256, ed25519);
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    return { status: 400, type: TEXT, body: `${error.message}\n` };
  }
  switch (decision.kind) {
    case 'refused':
      reportFork(log, decision.forked ?? null);
      return { status: decision.status, type: TEXT, body: `${decision.reason}\n` };
    case 'conflict':
      reportFork(log, decision.forked);
      return { status: 409, type: TREE_SIZE_TYPE, body: `${decision.size}\n` };
    case 'cosign': {
      const { checkpoint, note } = decision;
      const { origin, size, rootHash } = checkpoint;
      const seconds = Math.floor(deps.clock.now().getTime() / 1000);
      // In memory until stored. A crash before that loses an unseen signature; after it the same request is
      // answered with the size, and the signature is shown to readers of the log.
      const signature = cosign(note.text, seconds, key.signer, sha256);
      const shown = formatNote({ text: note.text, signatures: [...note.signatures, signature] });
      state.record(origin, { size, rootHash, note: shown });
      return { status: 200, type: TEXT, body: formatSignatureLine(signature) };
    }
  }
}

function reportFork(log: LoopLog, forked: Checkpoint | null): void {
  if (forked === null) return;
  const { origin, size } = forked;
  log.error({ origin, size, checkpoint: size }, 'the log signed two different trees of the same size');
}

/** With the log's signatures and ours. `originHash`: hex SHA-256. C2SP tlog-witness */
export function shownCheckpoint({ logKeys, state }: WitnessDeps, originHash: string): string | null {
  const log = logKeys.find(({ name }) => toHex(sha256(utf8(name))) === originHash);
  return log === undefined ? null : (state.find(log.name)?.note ?? null);
}
