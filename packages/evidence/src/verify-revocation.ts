/** Was an authority's certificate revoked when it stamped, as far as the bundle tells? */
import type { Bundle } from './bundle.ts';
import { EvidenceError } from './errors.ts';
import type { TimeStampFacts, TimeStampPolicy } from './timestamp/policy.ts';
import { RevocationBook, type RevocationData, type RevocationStatus } from './timestamp/revocation.ts';
import type { Verifying } from './verify-context.ts';

const FOLDER = 'revocation/';

export function revocationBook(bundle: Bundle): RevocationBook {
  return new RevocationBook([...bundle].filter(([name]) => name.startsWith(FOLDER)).map(toData));
}

function toData([name, bytes]: readonly [string, Uint8Array]): RevocationData {
  return { name, kind: name.endsWith('.crl') ? 'crl' : 'ocsp', bytes };
}

/**
 * Adds `check` where the bundle has revocation data or the policy asks for some: no certificate of the chain
 * was revoked at genTime, and, if the policy asks, each is shown to have been good. True if nothing speaks
 * against it.
 */
export async function checkNotRevoked(
  { list, revocation }: Verifying,
  check: string,
  { certificates, genTime }: TimeStampFacts,
  policy: TimeStampPolicy,
): Promise<boolean> {
  const required = policy.revocation === 'required';
  if (revocation.size === 0 && !required) return true;
  const found = await list.runAsync(check, async () => {
    const statuses = await revocation.statusOf(certificates, new Date(genTime));
    const wrong = statuses.find(({ status }) => status === 'revoked' || (required && status === 'unknown'));
    if (wrong !== undefined) throw new EvidenceError(check, describe(wrong, genTime));
    return { value: true, detail: statuses.map((status) => describe(status, genTime)).join('; ') };
  });
  return found === true;
}

function describe({ subject, status, revokedAt, by }: RevocationStatus, genTime: string): string {
  const name = JSON.stringify(subject);
  if (status === 'revoked')
    return `${name} was revoked at ${revokedAt?.toISOString()}, and it stamped at ${genTime}: ${by.join(', ')}`;
  if (status === 'good') return `${name} was good at ${genTime}: ${by.join(', ')}`;
  return `nothing in this bundle says whether ${name} was revoked at ${genTime}`;
}

/**
 * Adds `revocation` where the bundle has such data: what speaks of no certificate in it has no business
 * there.
 */
export function checkNothingIdle({ list, revocation }: Verifying): void {
  // What belongs to a time-stamp that failed is idle for that reason alone.
  if (revocation.size === 0 || !list.ok) return;
  list.run('revocation', () => {
    const [idle] = revocation.idle();
    if (idle !== undefined) throw new EvidenceError('revocation', `${idle.name}: ${idle.reason}`);
    return {
      value: true,
      detail: `${revocation.size} pieces of revocation data, each vouched for by its issuer`,
    };
  });
}
