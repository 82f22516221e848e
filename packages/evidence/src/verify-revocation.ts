/** Checks that an authority's certificate was not revoked when it stamped, as far as is known. */
import type { Bundle } from './bundle.ts';
import { equalBytes } from './bytes.ts';
import { EvidenceError } from './errors.ts';
import { type Certificate, readCertificate } from './timestamp/certificate.ts';
import type { TimeStampFacts, TimeStampPolicy } from './timestamp/policy.ts';
import type { Revoked } from './timestamp/reasons.ts';
import { RevocationBook, type RevocationData, type RevocationStatus } from './timestamp/revocation.ts';
import type { Verifying } from './verify-context.ts';

const FOLDER = 'revocation/';

/** `given`: by the verifier, in addition to the bundle's. */
export function revocationBook(bundle: Bundle, given: readonly RevocationData[] = []): RevocationBook {
  const own = [...bundle].filter(([name]) => name.startsWith(FOLDER)).map(toData);
  return new RevocationBook([...own, ...given.map((each) => ({ ...each, given: true }))]);
}

function toData([name, bytes]: readonly [string, Uint8Array]): RevocationData {
  return { name, kind: name.endsWith('.crl') ? 'crl' : 'ocsp', bytes };
}

/**
 * Adds `check` where there is revocation data or the policy asks for some: no certificate of the chain was
 * revoked at genTime, nor later for a reason that leaves open since when it was unsound, unless one of
 * `later`, the renewals that hold, shows that the token was there before; and, if the policy asks, each is
 * shown to have been good. True if nothing speaks against it.
 */
export async function checkNotRevoked(
  { list, revocation, revokedLater }: Verifying,
  check: string,
  { certificates, genTime }: TimeStampFacts,
  policy: TimeStampPolicy,
  later: readonly TimeStampFacts[],
): Promise<boolean> {
  const required = policy.revocation === 'required';
  if (revocation.size === 0 && !required) return true;
  const found = await list.runAsync(check, async () => {
    const statuses = await revocation.statusOf(certificates, new Date(genTime));
    const details = statuses.map((status) => {
      const detail = describe(status, genTime);
      if (status.standing === 'revoked' || (required && status.standing === 'unknown'))
        throw new EvidenceError(check, detail);
      if (status.standing !== 'doubted') return detail;
      const renewal = later.find((each) => wasThereBefore(each, status.revoked!, status.certificate));
      if (renewal === undefined)
        throw new EvidenceError(check, `${detail}, and no renewal by others shows that it stamped before`);
      const shown = `${detail}; the renewal of ${renewal.genTime} by others shows that it stamped before`;
      revokedLater.push(shown);
      return shown;
    });
    return { value: true, detail: details.join('; ') };
  });
  return found === true;
}

/** The certificate's key holder could have made the renewal, too. */
function wasThereBefore(
  { genTime, certificates }: TimeStampFacts,
  { from }: Revoked,
  of: Certificate,
): boolean {
  return new Date(genTime) < from && !certificates.some((der) => sameKey(readCertificate(der), of));
}

function sameKey({ publicKey: one }: Certificate, { publicKey: other }: Certificate): boolean {
  if (one.kind === 'refused' || other.kind === 'refused') return false;
  return equalBytes(one.spki, other.spki);
}

function describe({ certificate, standing, revoked, by }: RevocationStatus, genTime: string): string {
  const name = JSON.stringify(certificate.subject);
  if (revoked !== null) {
    const why = revoked.reason?.name ?? 'for an unknown reason';
    return `${name} was revoked at ${revoked.from.toISOString()} (${why}), and it stamped at ${genTime}: ${by.join(', ')}`;
  }
  if (standing === 'good') return `${name} was good at ${genTime}: ${by.join(', ')}`;
  return `nothing here says whether ${name} was revoked at ${genTime}`;
}

/**
 * Adds `revocation` where the bundle has such data: what speaks of no certificate in it has no business
 * there.
 */
export function checkNothingIdle({ list, bundle, revocation }: Verifying): void {
  const count = [...bundle.keys()].filter((name) => name.startsWith(FOLDER)).length;
  // Data for a time-stamp that failed is unused for that reason alone.
  if (count === 0 || !list.ok) return;
  list.run('revocation', () => {
    const idle = revocation.idle().find(({ given }) => !given);
    if (idle !== undefined) throw new EvidenceError('revocation', `${idle.name}: ${idle.reason}`);
    return { value: true, detail: `${count} pieces of revocation data, each vouched for by its issuer` };
  });
}
