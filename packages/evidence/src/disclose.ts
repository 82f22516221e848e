/** Bundles that prove a part of a message and hide the rest. */
import { assembleBundle, type StoredDelivery, type StoredEvidence, type StoredStamp } from './assemble.ts';
import { type Bundle, requireEntry } from './bundle.ts';
import { decodeUtf8, type Sha256 } from './bytes.ts';
import { EvidenceError } from './errors.ts';
import { parseCanonical } from './jcs.ts';
import { leafParts } from './mime-parts.ts';
import { discloseParts, type Openings, parseOpenings } from './openings.ts';
import { readTrustPolicy } from './policy.ts';
import { countRenewals, renewalName } from './renewal.ts';
import { parseTlogProof } from './tlog-proof.ts';
import { type Verification, verifyEntries } from './verify.ts';
import { partEntry } from './verify-content.ts';
import { revocationBook } from './verify-revocation.ts';

/** The original request stays closed in any case. */
export interface Disclosure {
  /** The message with both addresses; then `parts` says nothing more. */
  readonly message: boolean;
  /** Indexes, in document order from 0. */
  readonly parts: readonly number[];
  /** The outcomes, which name the receiver. */
  readonly delivery: boolean;
}

/**
 * Such a bundle with parts alone, by their index in document order from 0. Outcomes stay out, for they name
 * the receiver. Throws EvidenceError `disclose` if the bundle is not valid, `openings` for a part that it
 * does not open.
 */
export function disclose(
  bundle: Bundle,
  indexes: readonly number[],
  by: { sha256: Sha256; now: Date },
): Promise<Bundle> {
  return narrow(bundle, { message: false, parts: indexes, delivery: false }, by);
}

/** A disclosure of a bundle that verifies; of erased content it shows what is left. Throws as `disclose`. */
export async function narrow(
  bundle: Bundle,
  shown: Disclosure,
  { sha256, now }: { sha256: Sha256; now: Date },
): Promise<Bundle> {
  const verification = await verifyEntries(bundle, { sha256, now });
  if (!verification.valid) {
    const failed = verification.checks.find((check) => !check.ok);
    throw new EvidenceError('disclose', `the bundle does not verify: ${failed?.name}: ${failed?.detail}`);
  }
  const entry = (name: string) => requireEntry(bundle, name, 'disclose');
  const stamp = (name: string) => storedStamp(bundle, verification, name);
  const own = bundle.has('message-constancia.tsr')
    ? { messageConstancia: stamp('message-constancia.tsr') }
    : {};
  const kept = (name: string) => (bundle.has(name) ? decodeUtf8(entry(name)) : undefined);
  const openings = parseOpenings(entry('openings.json'));
  const [outcomesNote, logEnd] = [kept('outcomes.note'), kept('log-end.note')];
  const history = shown.delivery ? kept('history.txt') : undefined;
  const evidence: StoredEvidence = {
    manifest: entry('manifest.json'),
    ...saysWithheld(contentOf(bundle, openings, shown), verification, openings, shown),
    ...(history !== undefined && { history }),
    ...(outcomesNote !== undefined && { outcomesNote }),
    ...(logEnd !== undefined && { logEnd }),
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
    ...(shown.delivery && { deliveries: deliveriesOf(bundle, stamp) }),
    revocation: await revocationOf(bundle, verification, shown),
    policy: readTrustPolicy(parseCanonical(entry('policy.json'), 'policy'), sha256),
  };
  return assembleBundle(evidence, sha256);
}

/** Lists the outcomes that are left out, so that the log's count of them still fits. */
function saysWithheld(
  content: Content,
  { facts }: Verification,
  { withheld = [] }: Openings,
  { delivery }: Disclosure,
): Content {
  if (facts.outcomes_as_of === undefined) return content;
  const left = delivery ? [] : (facts.delivery ?? []).map(({ canonical_hash }) => canonical_hash);
  const hashes = [...left, ...withheld];
  if (hashes.length === 0) return content;
  return { ...content, openings: { ...content.openings, content: 'disclosed', withheld: hashes } };
}

type Content = Pick<StoredEvidence, 'openings' | 'message' | 'parts'>;

function contentOf(bundle: Bundle, openings: Openings, { message, parts }: Disclosure): Content {
  if (openings.content === 'erased') return { openings };
  if (!message) return { openings: discloseParts(openings, parts), parts: partContents(bundle, parts) };
  const { submission: _closed, ...rest } = openings;
  return {
    openings: { ...rest, content: 'disclosed' },
    message: requireEntry(bundle, 'message.eml', 'disclose'),
  };
}

const OUTCOME = /^(delivery\/\d\d-[a-z]+)\.json$/;

function deliveriesOf(bundle: Bundle, stamp: (name: string) => StoredStamp): StoredDelivery[] {
  return [...bundle.keys()].flatMap((name) => {
    const base = OUTCOME.exec(name)?.[1];
    if (base === undefined) return [];
    const kept = (field: string, suffix: string) => {
      const bytes = bundle.get(base + suffix);
      return bytes === undefined ? {} : { [field]: bytes };
    };
    return [
      {
        manifest: requireEntry(bundle, name, 'disclose'),
        proof: parseTlogProof(requireEntry(bundle, `${base}.tlog-proof`, 'disclose')),
        ...kept('openings', '.openings.json'),
        ...kept('transcript', '.transcript.json'),
        ...kept('dsn', '.dsn.eml'),
        ...(bundle.has(`${base}.tsr`) && { constancia: stamp(`${base}.tsr`) }),
      },
    ];
  });
}

const REVOCATION = 'revocation/';

/** Facts about the time-stamps that stay: an outcome's authority may be another. */
async function revocationOf(
  bundle: Bundle,
  { stamps }: Verification,
  { delivery }: Disclosure,
): Promise<Map<string, Uint8Array>> {
  const book = revocationBook(bundle);
  for (const [name, { certificates, genTime }] of stamps)
    if (delivery || !name.startsWith('delivery/')) await book.statusOf(certificates, new Date(genTime));
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
  const issued = bundle.get(`issued/${chainName(name)}.bin`);
  return { token: requireEntry(bundle, name, 'disclose'), facts, ...(issued && { issued }) };
}

/** As the files of `chain/` have it. */
const chainName = (token: string) =>
  token.replace(/^(renewal|delivery)\/(\d\d).*/, '$1-$2').replace('.tsr', '');

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
