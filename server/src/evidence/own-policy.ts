import { decodeUtf8 } from '@acuse/evidence/bytes';
import { formatTrustPolicy } from '@acuse/evidence/policy';
import type { VerifierKey } from '@acuse/evidence/verifier-key';
import { ownWitness } from '@acuse/evidence/witness';
import type { Witnesses } from './log/witnesses.ts';
import type { Sealer } from './stamp/sealer.ts';

/** As many of each as a policy has. */
const MAX_PINNED = 16;

/**
 * `policy.json` of this installation: its logs (the one that goes on first), the authorities and the
 * witnesses that are configured. A page that verifies holds a bundle to it: one that names nobody else is its
 * own. It asks for no witness, because bundles of before there were any hold as well.
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
    // A log that has ended may have had the host of what is a witness now; in a policy it must not.
    witnessKeys: witnesses.list
      .map(({ key }) => key)
      .filter((key) => ownWitness([key], pinned) === undefined),
    witnessQuorum: 0,
  };
  return decodeUtf8(formatTrustPolicy(policy))!;
}
