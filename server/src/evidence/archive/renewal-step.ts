import type { RenewalStep } from '@acuse/evidence/archive';
import { utf8 } from '@acuse/evidence/bytes';
import { formatTrustPolicy } from '@acuse/evidence/policy';
import { renewalName } from '@acuse/evidence/renewal';
import { certificateToPem } from '@acuse/evidence/timestamp/parse';
import type { TimeStampPolicy } from '@acuse/evidence/timestamp/policy';
import { revocationName } from '../renewal/renewal-entries.ts';
import type { RevocationRow } from '../stamp/revocation-store.ts';

export interface OneRenewal {
  readonly ordinal: number;
  readonly sums: string;
  readonly list: string | null;
  readonly token: Uint8Array;
  /** DER, signer first. */
  readonly chain: readonly Uint8Array[];
  readonly policy: TimeStampPolicy;
  readonly issued: Uint8Array | undefined;
  readonly revocation: readonly Pick<RevocationRow, 'sha256' | 'kind' | 'content'>[];
}

/** Files that it adds to each bundle. */
export function toRenewalStep(renewal: OneRenewal): RenewalStep {
  const number = renewalName(renewal.ordinal);
  const step = new Map<string, Uint8Array>([
    [`renewal/${number}.sums`, utf8(renewal.sums)],
    [`renewal/${number}.tsr`, renewal.token],
    [`chain/renewal-${number}.pem`, utf8(renewal.chain.map(certificateToPem).join(''))],
    ['policy.json', policyOf(renewal.policy)],
  ]);
  if (renewal.list !== null) step.set(`renewal/${number}.list`, utf8(renewal.list));
  if (renewal.issued !== undefined) step.set(`issued/renewal-${number}.bin`, renewal.issued);
  for (const row of renewal.revocation) step.set(`revocation/${revocationName(row)}`, row.content);
  return step;
}

function policyOf(authority: TimeStampPolicy): Uint8Array {
  return formatTrustPolicy({ logKeys: [], timeStamps: [authority], witnessKeys: [], witnessQuorum: 0 });
}
