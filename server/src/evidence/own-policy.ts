import { decodeUtf8 } from '@acuse/evidence/bytes';
import { formatTrustPolicy } from '@acuse/evidence/policy';
import type { VerifierKey } from '@acuse/evidence/verifier-key';
import { ownWitness } from '@acuse/evidence/witness';
import type { Witnesses } from './log/witnesses.ts';
import type { Sealer } from './stamp/sealer.ts';

const MAX_PINNED = 16;

/**
 * This installation's `policy.json`: its logs, authorities and witnesses. A verifier page uses it to
 * recognise own bundles. Quorum 0, so that older bundles pass.
 */
export function ownPolicy(
  logKeys: readonly VerifierKey[],
  sealers: readonly Pick<Sealer, 'policy'>[],
  witnesses: Witnesses,
): string {
  const pinned = logKeys.slice(0, MAX_PINNED);
  const policy = {
    logKeys: pinned,
    timeStamps: sealers.map((sealer) => sealer.policy).slice(0, MAX_PINNED),
    // An ended log may share a host with a witness, which a policy forbids.
    witnessKeys: witnesses.list
      .map(({ key }) => key)
      .filter((key) => ownWitness([key], pinned) === undefined),
    witnessQuorum: 0,
  };
  return decodeUtf8(formatTrustPolicy(policy))!;
}
