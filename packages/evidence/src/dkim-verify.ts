/**
 * DKIM signatures under the manifest's keys, which remain checkable after the DNS record is gone. RFC 6376,
 * RFC 8463
 */
import { concat, decodeAscii, equalBytes, fromBase64, type Sha256, utf8 } from './bytes.ts';
import { EvidenceError } from './errors.ts';
import type { DkimFact } from './manifest.ts';
import { type RawHeader, relaxedBody, relaxedField, relaxedHeader, splitMessage } from './relaxed.ts';
import { ED25519_PUBLIC_KEY_BYTES, verifyEd25519 } from './verifier-key.ts';

/** Signatures looked at in one message. */
const MAX_SIGNATURES = 8;

/**
 * The keys whose signature on this message (CRLF) holds. Throws EvidenceError `dkim` if none does, saying why
 * the last did not. Only relaxed/relaxed over the whole body, which is how we sign; expiry is not looked at,
 * for the question comes years later.
 */
export async function verifyDkim(
  message: Uint8Array,
  keys: readonly DkimFact[],
  sha256: Sha256,
): Promise<DkimFact[]> {
  const { headers, body } = splitMessage(message);
  const signatures = headers.filter(({ name }) => name.toLowerCase() === 'dkim-signature');
  const bodyHash = sha256(relaxedBody(body));
  const held: DkimFact[] = [];
  let reason = 'the message has no DKIM signature';
  for (const field of signatures.slice(0, MAX_SIGNATURES)) {
    try {
      held.push(await verifyOne(field, headers, bodyHash, keys, sha256));
    } catch (error) {
      if (!(error instanceof EvidenceError)) throw error;
      reason = error.detail;
    }
  }
  if (held.length === 0) throw new EvidenceError('dkim', reason);
  return held;
}

async function verifyOne(
  field: RawHeader,
  headers: readonly RawHeader[],
  bodyHash: Uint8Array,
  keys: readonly DkimFact[],
  sha256: Sha256,
): Promise<DkimFact> {
  const tags = readTags(field);
  const tag = (name: string) => tags.get(name)?.replace(/[ \t\r\n]+/g, '') ?? '';
  const key = keys.find(
    ({ domain, selector, algorithm }) =>
      domain === tag('d').toLowerCase() && selector === tag('s') && algorithm === tag('a'),
  );
  if (key === undefined) throw new EvidenceError('dkim', 'signed with a key that the manifest does not name');
  if (tag('v') !== '1' || tag('c') !== 'relaxed/relaxed' || tags.has('l'))
    throw new EvidenceError('dkim', 'signed in another way than we sign');
  const statedBodyHash = fromBase64(tag('bh'));
  if (statedBodyHash === undefined || !equalBytes(statedBodyHash, bodyHash))
    throw new EvidenceError('dkim', 'the body was changed since it was signed');
  const names = tag('h').toLowerCase().split(':');
  if (!names.includes('from')) throw new EvidenceError('dkim', 'From is not signed');
  const signed = concat(...selectFields(headers, names), signatureField(field));
  const signature = fromBase64(tag('b'));
  if (signature === undefined || !(await signatureHolds(key, signature, signed, sha256)))
    throw new EvidenceError('dkim', 'the header was changed since it was signed');
  return key;
}

/**
 * `name=value; …`. Throws EvidenceError `dkim` for bytes over ASCII and a tag that stands twice. RFC 6376
 * §3.2
 */
function readTags({ raw }: RawHeader): Map<string, string> {
  if (raw.some((byte) => byte > 0x7e)) throw new EvidenceError('dkim', 'the signature is not ASCII');
  const text = decodeAscii(raw.subarray(raw.indexOf(0x3a) + 1));
  const tags = new Map<string, string>();
  for (const part of text.split(';')) {
    const split = part.indexOf('=');
    if (split < 0) continue;
    const name = part.slice(0, split).trim();
    if (tags.has(name)) throw new EvidenceError('dkim', 'a tag of the signature appears twice');
    tags.set(name, part.slice(split + 1).trim());
  }
  return tags;
}

/**
 * Repeated fields from the last one up, each once; a missing one signs its absence. RFC 6376 §5.4.2
 */
function selectFields(headers: readonly RawHeader[], names: readonly string[]): Uint8Array[] {
  const left = new Map<string, RawHeader[]>();
  for (const header of headers) {
    const name = header.name.toLowerCase();
    left.set(name, [...(left.get(name) ?? []), header]);
  }
  return names
    .map((name) => left.get(name)?.pop())
    .flatMap((field) => (field === undefined ? [] : [relaxedField(field)]));
}

/** The signature's own field as it was when signed: `b=` empty, no CRLF. RFC 6376 §3.7 */
function signatureField({ raw }: RawHeader): Uint8Array {
  const value = decodeAscii(raw.subarray(raw.indexOf(0x3a) + 1));
  return utf8(relaxedHeader('dkim-signature', value.replace(/(^|;)([ \t\r\n]*b[ \t\r\n]*=)[^;]*/, '$1$2')));
}

async function signatureHolds(
  { algorithm, public_key }: DkimFact,
  signature: Uint8Array,
  signed: Uint8Array,
  sha256: Sha256,
): Promise<boolean> {
  const key = fromBase64(public_key);
  if (key === undefined) return false;
  if (algorithm === 'ed25519-sha256')
    return key.length === ED25519_PUBLIC_KEY_BYTES && verifyEd25519(signature, sha256(signed), key);
  const scheme = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  try {
    const rsaKey = await crypto.subtle.importKey('spki', new Uint8Array(key), scheme, false, ['verify']);
    return await crypto.subtle.verify(scheme, rsaKey, new Uint8Array(signature), new Uint8Array(signed));
  } catch {
    // A malformed key verifies nothing.
    return false;
  }
}
