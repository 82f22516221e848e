import { createHash, createPublicKey } from 'node:crypto';
import { verifyDkim } from '@acuse/evidence/dkim-verify';
import { EvidenceError } from '@acuse/evidence/errors';
import type { DkimFact } from '@acuse/evidence/manifest';
import { splitMessage } from '@acuse/evidence/relaxed';
import type { MailResolver } from '../routing/resolver.ts';

/**
 * DKIM of received mail: the domains whose signature is valid under the keys that they publish now. RFC 6376
 * §6.1
 */
export interface DkimCheck {
  readonly result: 'pass' | 'fail' | 'none' | 'temperror';
  /** Lower case, each once; empty unless the result is pass. */
  readonly domains: readonly string[];
  /** Keys under which a signature holds. */
  readonly keys: readonly DkimFact[];
  /** Why each of the others does not. */
  readonly faults: readonly string[];
}

export interface DkimCheckOptions {
  readonly held?: HeldSignatures | undefined;
  /** Signatures of other domains are ignored. */
  speaks?(domain: string): boolean;
}

/** Signatures read in one mail; each costs a DNS query. */
const MAX_SIGNATURES = 3;
/** Shorter RSA keys prove nothing. RFC 8301 §3.2 */
const MIN_RSA_BITS = 1_024;
const DOMAIN = /^(?=.{1,253}$)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+$/;
const SELECTOR = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/i;
const ALGORITHMS = ['rsa-sha256', 'ed25519-sha256'] as const;

const sha256 = (bytes: Uint8Array) => new Uint8Array(createHash('sha256').update(bytes).digest());

/** The keys whose signatures verify. The message has CRLF line ends; a large one takes a while. */
export type HeldSignatures = (message: Uint8Array, keys: readonly DkimFact[]) => Promise<DkimFact[]>;

/** `fields`: names that must be signed, in lower case; From when absent. */
export async function heldSignatures(
  message: Uint8Array,
  keys: readonly DkimFact[],
  fields?: readonly string[],
): Promise<DkimFact[]> {
  try {
    return await verifyDkim(message, keys, sha256, fields);
  } catch (error) {
    if (error instanceof EvidenceError) return [];
    throw error;
  }
}

/**
 * Verifies the mail's signatures over the whole body; any other counts as failed. `message`: CRLF. Never
 * rejects, whatever the mail contains.
 */
export async function checkDkim(
  resolver: MailResolver,
  message: Uint8Array,
  now: Date,
  { held = heldSignatures, speaks = () => true }: DkimCheckOptions = {},
): Promise<DkimCheck> {
  const all = signaturesOf(message);
  const signatures = all.filter((tags) => speaks(domainOf(tags))).slice(0, MAX_SIGNATURES);
  const nothing = { domains: [], keys: [] };
  if (signatures.length === 0) {
    const faults = all.length === 0 ? ['not signed'] : [`signed by ${all.map(domainOf).join(', ')} alone`];
    return { ...nothing, result: all.length === 0 ? 'none' : 'fail', faults };
  }
  const looked = await Promise.all(signatures.map((tags) => findKey(resolver, tags, now)));
  const keys = looked.flatMap((found) => ('key' in found ? [found.key] : []));
  const holding = keys.length === 0 ? [] : await held(message, keys);
  const faults = looked.map((found, at) => {
    const named = `${domainOf(signatures[at]!)} (${signatures[at]!.get('s') ?? ''})`;
    return `${named}: ${'key' in found ? 'the signature does not hold' : found.fault}`;
  });
  if (holding.length > 0) {
    const domains = [...new Set(holding.map(({ domain }) => domain))].sort();
    return { result: 'pass', domains, keys: holding, faults: [] };
  }
  const isTemporary = looked.some((found) => 'fault' in found && found.fault === NO_ANSWER);
  return { ...nothing, result: isTemporary ? 'temperror' : 'fail', faults };
}

const NO_ANSWER = 'the DNS gave no answer';

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

function domainOf(signature: Tags): string {
  return signature.get('d')?.toLowerCase() ?? '';
}

/** The key, or the reason why none can verify it. RFC 6376 §3.6.1, §6.1.2 */
async function findKey(
  resolver: MailResolver,
  signature: Tags,
  now: Date,
): Promise<{ readonly key: DkimFact } | { readonly fault: string }> {
  const domain = domainOf(signature);
  const selector = signature.get('s') ?? '';
  const algorithm = ALGORITHMS.find((known) => known === signature.get('a'));
  if (!DOMAIN.test(domain) || !SELECTOR.test(selector)) return { fault: 'no such name' };
  if (algorithm === undefined) return { fault: `the algorithm ${signature.get('a')} proves nothing` };
  const expires = signature.get('x');
  if (expires !== undefined && !(Number(expires) * 1_000 > now.getTime()))
    return { fault: 'the signature has expired' };
  const answer = await resolver.lookup(`${selector}._domainkey.${domain}`, 'TXT');
  if (answer.kind === 'servfail' || answer.kind === 'timeout') return { fault: NO_ANSWER };
  if (answer.kind !== 'found' || answer.records.length !== 1) return { fault: 'no key is published' };
  const record = readTags(answer.records[0]!);
  const fault = recordFault(record, algorithm);
  return fault === null ? { key: { domain, selector, algorithm, public_key: record.get('p')! } } : { fault };
}

function recordFault(record: Tags, algorithm: DkimFact['algorithm']): string | null {
  const hashes = record.get('h')?.split(':') ?? ['sha256'];
  const publicKey = record.get('p') ?? '';
  const type = algorithm === 'rsa-sha256' ? 'rsa' : 'ed25519';
  if ((record.get('v') ?? 'DKIM1') !== 'DKIM1' || (record.get('k') ?? 'rsa') !== type)
    return 'the record has another kind of key';
  if (publicKey === '') return 'the key is revoked';
  if (!hashes.includes('sha256')) return 'the record does not allow SHA-256';
  if (record.get('t')?.split(':').includes('y') === true) return 'the domain only tests';
  if (type === 'rsa' && !isStrong(publicKey)) return `the key has not ${MIN_RSA_BITS} bits of RSA`;
  return null;
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
