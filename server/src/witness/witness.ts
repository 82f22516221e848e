import { cosign } from '@acuse/evidence/cosignature';
import { EvidenceError } from '@acuse/evidence/errors';
import { formatSignatureLine } from '@acuse/evidence/note';
import type { VerifierKey } from '@acuse/evidence/verifier-key';
import { decideCosignature, parseAddCheckpoint, TREE_SIZE_TYPE } from '@acuse/evidence/witness';
import type { Clock } from '../platform/clock.ts';
import type { LoopLog } from '../platform/logger.ts';
import { sha256 } from '../platform/sha256.ts';
import type { WitnessKey } from './key.ts';
import type { WitnessState } from './state.ts';

/**
 * A witness: it signs a log's checkpoint if that continues all that it signed before, and never otherwise.
 * C2SP tlog-witness
 */
export interface WitnessDeps {
  readonly key: WitnessKey;
  /** Of the logs that are witnessed; a key bears its log's origin as name. */
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
 * Answers one add-checkpoint. Runs to its end without giving way: what is compared is what is replaced, so
 * that of two requests that come together the second one sees the first. Throws when the state cannot be
 * kept; nothing is signed then.
 */
export function addCheckpoint(deps: WitnessDeps, body: Uint8Array): WitnessAnswer {
  const { key, logKeys, state, log } = deps;
  const witnessed = new Set(logKeys.map(({ name }) => name));
  let decision: ReturnType<typeof decideCosignature>;
  try {
    const knownOf = (origin: string) => (witnessed.has(origin) ? state.find(origin) : undefined);
    decision = decideCosignature(parseAddCheckpoint(body), logKeys, knownOf, sha256);
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    return { status: 400, type: TEXT, body: `${error.message}\n` };
  }
  switch (decision.kind) {
    case 'refused':
      return { status: decision.status, type: TEXT, body: `${decision.reason}\n` };
    case 'conflict': {
      const { checkpoint, size } = decision;
      if (decision.forked)
        log.error(
          { origin: checkpoint.origin, size, checkpoint: checkpoint.size },
          'the log signed two different trees of the same size',
        );
      return { status: 409, type: TREE_SIZE_TYPE, body: `${size}\n` };
    }
    case 'cosign': {
      const { checkpoint, text } = decision;
      // Crash before this: nothing was signed. After it: the same request is answered with the size, and no
      // signature is lost.
      state.record(checkpoint.origin, { size: checkpoint.size, rootHash: checkpoint.rootHash });
      const seconds = Math.floor(deps.clock.now().getTime() / 1000);
      return {
        status: 200,
        type: TEXT,
        body: formatSignatureLine(cosign(text, seconds, key.signer, sha256)),
      };
    }
  }
}
