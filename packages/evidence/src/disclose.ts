/** A bundle that proves some parts of a message and shows nothing else of it. */
import { assembleBundle, type StoredEvidence, type StoredStamp } from './assemble.ts';
import { type Bundle, requireEntry } from './bundle.ts';
import { decodeUtf8, type Sha256 } from './bytes.ts';
import { EvidenceError } from './errors.ts';
import { parseCanonical } from './jcs.ts';
import { leafParts } from './mime-parts.ts';
import { discloseParts, parseOpenings } from './openings.ts';
import { readTrustPolicy } from './policy.ts';
import { countRenewals, renewalName } from './renewal.ts';
import { parseTlogProof } from './tlog-proof.ts';
import { type Verification, verifyEntries } from './verify.ts';
import { partEntry } from './verify-content.ts';
import { revocationBook } from './verify-revocation.ts';

/**
 * Such a bundle, out of one that verifies. `indexes`: of the parts, in document order from 0. Outcomes stay
 * out, for they name the receiver. Throws EvidenceError `disclose` if the bundle is not valid, `openings` for
 * a part that it does not open.
 */
export async function disclose(bundle: Bundle, indexes: readonly number[], sha256: Sha256): Promise<Bundle> {
  const verification = await verifyEntries(bundle, { sha256 });
  if (!verification.valid) {
    const failed = verification.checks.find((check) => !check.ok);
    throw new EvidenceError('disclose', `the bundle does not verify: ${failed?.name}: ${failed?.detail}`);
  }
  const entry = (name: string) => requireEntry(bundle, name, 'disclose');
  const stamp = (name: string) => storedStamp(bundle, verification, name);
  const own = bundle.has('message-constancia.tsr')
    ? { messageConstancia: stamp('message-constancia.tsr') }
    : {};
  const evidence: StoredEvidence = {
    manifest: entry('manifest.json'),
    openings: discloseParts(parseOpenings(entry('openings.json')), indexes),
    parts: partContents(bundle, indexes),
    proof: parseTlogProof(entry('proof.tlog-proof')),
    constancia: stamp('constancia.tsr'),
    ...own,
    renewals: Array.from({ length: countRenewals(bundle) }, (_, i) => {
      const number = renewalName(i + 1);
      const text = (name: string) => decodeUtf8(entry(name)) ?? '';
      const list = `renewal/${number}.list`;
      return {
        ...stamp(`renewal/${number}.tsr`),
        sums: text(`renewal/${number}.sums`),
        ...(bundle.has(list) && { list: text(list) }),
      };
    }),
    revocation: await revocationOf(bundle, verification),
    policy: readTrustPolicy(parseCanonical(entry('policy.json'), 'policy'), sha256),
  };
  return assembleBundle(evidence, sha256);
}

const REVOCATION = 'revocation/';

/** What speaks of the time-stamps that stay: an outcome's authority may be another. */
async function revocationOf(bundle: Bundle, { stamps }: Verification): Promise<Map<string, Uint8Array>> {
  const book = revocationBook(bundle);
  for (const [name, { certificates, genTime }] of stamps)
    if (!name.startsWith('delivery/')) await book.statusOf(certificates, new Date(genTime));
  const idle = new Set(book.idle().map(({ name }) => name));
  const kept = [...bundle].filter(([name]) => name.startsWith(REVOCATION) && !idle.has(name));
  return new Map(kept.map(withoutFolder));
}

function withoutFolder([name, bytes]: readonly [string, Uint8Array]): [string, Uint8Array] {
  return [name.slice(REVOCATION.length), bytes];
}

function storedStamp(bundle: Bundle, { stamps }: Verification, name: string): StoredStamp {
  const facts = stamps.get(name);
  if (facts === undefined) throw new EvidenceError('disclose', `${name} did not verify`);
  return { token: requireEntry(bundle, name, 'disclose'), facts };
}

/** From the message, or from a bundle that shows parts alone already. */
function partContents(bundle: Bundle, indexes: readonly number[]): Map<number, Uint8Array> {
  const message = bundle.get('message.eml');
  const parts = message === undefined ? undefined : leafParts(message);
  return new Map(
    indexes.map((index) => [
      index,
      parts?.[index]?.content ?? requireEntry(bundle, partEntry(index), 'disclose'),
    ]),
  );
}
