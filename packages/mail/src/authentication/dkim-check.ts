import { createHash, createPublicKey } from 'node:crypto';
import { verifyDkim } from '@acuse/evidence/dkim-verify';
import { EvidenceError } from '@acuse/evidence/errors';
import type { DkimFact } from '@acuse/evidence/manifest';
import { splitMessage } from '@acuse/evidence/relaxed';
import type { MailResolver } from '../routing/resolver.ts';

/**
 * DKIM of a mail that came in: the domains whose signature holds under the keys that they publish now. RFC
 * 6376 §6.1
 */
export interface DkimCheck {
  readonly result: 'pass' | 'fail' | 'none' | 'temperror';
  /** Lower case, each once; empty unless the result is pass. */
  readonly domains: readonly string[];
}

/** Signatures of one mail that are looked at; each costs a question to the DNS. */
const MAX_SIGNATURES = 3;
/** Shorter RSA keys prove nothing. RFC 8301 §3.2 */
const MIN_RSA_BITS = 1_024;
const DOMAIN = /^(?=.{1,253}$)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+$/;
const SELECTOR = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/i;
const ALGORITHMS = ['rsa-sha256', 'ed25519-sha256'] as const;

const sha256 = (bytes: Uint8Array) => new Uint8Array(createHash('sha256').update(bytes).digest());

/** The keys whose signatures verify. The message has CRLF line ends; a large one takes a while. */
export type HeldSignatures = (message: Uint8Array, keys: readonly DkimFact[]) => Promise<DkimFact[]>;

export async function heldSignatures(message: Uint8Array, keys: readonly DkimFact[]): Promise<DkimFact[]> {
  try {
    return await verifyDkim(message, keys, sha256);
  } catch (error) {
    if (error instanceof EvidenceError) return [];
    throw error;
  }
}

/**
 * Verifies the mail's signatures, those relaxed/relaxed over the whole body alone; any other counts as one
 * that fails. `message`: CRLF. Never rejects for what the mail holds.
 */
export async function checkDkim(
  resolver: MailResolver,
  message: Uint8Array,
  now: Date,
  held: HeldSignatures = heldSignatures,
): Promise<DkimCheck> {
  const signatures = signaturesOf(message).slice(0, MAX_SIGNATURES);
  if (signatures.length === 0) return { result: 'none', domains: [] };
  const looked = await Promise.all(signatures.map((tags) => findKey(resolver, tags, now)));
  const keys = looked.filter((key) => key !== null && key !== 'temperror');
  const holding = keys.length === 0 ? [] : await held(message, keys);
  if (holding.length > 0)
    return { result: 'pass', domains: [...new Set(holding.map(({ domain }) => domain))].sort() };
  return { result: looked.includes('temperror') ? 'temperror' : 'fail', domains: [] };
}

type Tags = ReadonlyMap<string, string>;

function signaturesOf(message: Uint8Array): Tags[] {
  try {
    return splitMessage(message)
      .headers.filter(({ name }) => name.toLowerCase() === 'dkim-signature')
      .map(({ raw }) =>
        readTags(
          Buffer.from(raw)
            .toString('latin1')
            .replace(/^[^:]*:/, ''),
        ),
      );
  } catch (error) {
    if (error instanceof EvidenceError) return [];
    throw error;
  }
}

/** `name=value; …`, white space taken out. RFC 6376 §3.2 */
function readTags(text: string): Tags {
  const tags = new Map<string, string>();
  for (const part of text.split(';')) {
    const split = part.indexOf('=');
    if (split > 0) tags.set(part.slice(0, split).trim(), part.slice(split + 1).replace(/\s+/g, ''));
  }
  return tags;
}

/** Null: no key that could verify it. RFC 6376 §3.6.1, §6.1.2 */
async function findKey(
  resolver: MailResolver,
  signature: Tags,
  now: Date,
): Promise<DkimFact | 'temperror' | null> {
  const domain = signature.get('d')?.toLowerCase() ?? '';
  const selector = signature.get('s') ?? '';
  const algorithm = ALGORITHMS.find((known) => known === signature.get('a'));
  if (!DOMAIN.test(domain) || !SELECTOR.test(selector) || algorithm === undefined) return null;
  const expires = signature.get('x');
  if (expires !== undefined && !(Number(expires) * 1_000 > now.getTime())) return null;
  const answer = await resolver.lookup(`${selector}._domainkey.${domain}`, 'TXT');
  if (answer.kind === 'servfail' || answer.kind === 'timeout') return 'temperror';
  if (answer.kind !== 'found' || answer.records.length !== 1) return null;
  const record = readTags(answer.records[0]!);
  const hashes = record.get('h')?.split(':') ?? ['sha256'];
  const isTest = record.get('t')?.split(':').includes('y') === true;
  const publicKey = record.get('p') ?? '';
  const type = algorithm === 'rsa-sha256' ? 'rsa' : 'ed25519';
  if ((record.get('v') ?? 'DKIM1') !== 'DKIM1' || (record.get('k') ?? 'rsa') !== type) return null;
  if (publicKey === '' || !hashes.includes('sha256') || isTest) return null;
  if (type === 'rsa' && !isStrong(publicKey)) return null;
  return { domain, selector, algorithm, public_key: publicKey };
}

function isStrong(publicKey: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
    return (key.asymmetricKeyDetails?.modulusLength ?? 0) >= MIN_RSA_BITS;
  } catch {
    // Not a key.
    return false;
  }
}
