/**
 * DKIM signatures under the manifest's keys, which remain checkable after the DNS record is gone. RFC 6376,
 * RFC 8463
 */
import { concat, decodeAscii, equalBytes, fromBase64, type Sha256, utf8 } from './bytes.ts';
import { EvidenceError } from './errors.ts';
import type { DkimFact } from './manifest.ts';
import {
  type RawHeader,
  relaxedBody,
  relaxedField,
  relaxedHeader,
  simpleBody,
  splitMessage,
} from './relaxed.ts';
import { ED25519_PUBLIC_KEY_BYTES, verifyEd25519 } from './verifier-key.ts';

/** Signatures read in one message. */
const MAX_SIGNATURES = 8;

/** Shorter RSA keys prove nothing. RFC 8301 §3.2 */
const MIN_RSA_BITS = 1_024;

/** Signed by everybody: without it a signature says nothing of who wrote. RFC 6376 §5.4 */
const FROM = ['from'];

/**
 * The keys with a valid signature on this message (CRLF), over the whole body and at least these fields.
 * Throws EvidenceError `dkim` if there is none, with the reason of the last. Expiry is ignored, because the
 * question comes years later.
 */
export async function verifyDkim(
  message: Uint8Array,
  keys: readonly DkimFact[],
  sha256: Sha256,
  fields: readonly string[] = FROM,
): Promise<DkimFact[]> {
  const { headers, body } = splitMessage(message);
  const signatures = headers.filter(({ name }) => name.toLowerCase() === 'dkim-signature');
  const made: { relaxed?: Uint8Array; simple?: Uint8Array } = {};
  // Each form once, however many signatures there are.
  const bodyHashes = (form: Form) => {
    made[form] ??= sha256(form === 'relaxed' ? relaxedBody(body) : simpleBody(body));
    return made[form];
  };
  const mail = { headers, bodyHashes, fields };
  const held: DkimFact[] = [];
  let reason = 'the message has no DKIM signature';
  for (const field of signatures.slice(0, MAX_SIGNATURES)) {
    try {
      held.push(await verifyOne(field, mail, keys, sha256));
    } catch (error) {
      if (!(error instanceof EvidenceError)) throw error;
      reason = error.detail;
    }
  }
  if (held.length === 0) throw new EvidenceError('dkim', reason);
  return held;
}

/** RFC 6376 §3.4 */
type Form = 'relaxed' | 'simple';

/** `header/body`; a form that is not stated is simple. RFC 6376 §3.5 */
function formsOf(stated: string): { header: Form; body: Form } | null {
  const found = /^(relaxed|simple)?(?:\/(relaxed|simple))?$/.exec(stated);
  const form = (at: number) => (found?.[at] === 'relaxed' ? 'relaxed' : 'simple');
  return found && { header: form(1), body: form(2) };
}

type SignedMail = {
  headers: readonly RawHeader[];
  bodyHashes(form: Form): Uint8Array;
  fields: readonly string[];
};

async function verifyOne(
  field: RawHeader,
  { headers, bodyHashes, fields }: SignedMail,
  keys: readonly DkimFact[],
  sha256: Sha256,
): Promise<DkimFact> {
  const tags = readTags(field);
  const tag = (name: string) => tags.get(name)?.replace(/[ \t\r\n]+/g, '') ?? '';
  const key = keys.find(
    ({ domain, selector, algorithm }) =>
      domain === tag('d').toLowerCase() && selector === tag('s') && algorithm === tag('a'),
  );
  if (key === undefined) throw new EvidenceError('dkim', 'signed with a key that is not stated');
  const forms = formsOf(tag('c'));
  if (tag('v') !== '1' || forms === null) throw new EvidenceError('dkim', 'signed in an unknown form');
  if (tags.has('l')) throw new EvidenceError('dkim', 'not the whole body is signed');
  const statedBodyHash = fromBase64(tag('bh'));
  if (statedBodyHash === undefined || !equalBytes(statedBodyHash, bodyHashes(forms.body)))
    throw new EvidenceError('dkim', 'the body was changed since it was signed');
  const names = tag('h').toLowerCase().split(':');
  const unsigned = fields.find((name) => !names.includes(name));
  if (unsigned !== undefined) throw new EvidenceError('dkim', `the field ${unsigned} is not signed`);
  const signed = concat(...selectFields(headers, names, forms.header), signatureField(field, forms.header));
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
function selectFields(headers: readonly RawHeader[], names: readonly string[], form: Form): Uint8Array[] {
  const left = new Map<string, RawHeader[]>();
  for (const header of headers) {
    const name = header.name.toLowerCase();
    left.set(name, [...(left.get(name) ?? []), header]);
  }
  return names
    .map((name) => left.get(name)?.pop())
    .flatMap((field) => (field === undefined ? [] : [formed(field, form)]));
}

const CRLF = utf8('\r\n');

function formed(field: RawHeader, form: Form): Uint8Array {
  return form === 'relaxed' ? relaxedField(field) : concat(field.raw, CRLF);
}

/** The signature's own field as it was when signed: `b=` empty, no CRLF. RFC 6376 §3.7 */
function signatureField({ raw }: RawHeader, form: Form): Uint8Array {
  const colon = raw.indexOf(0x3a) + 1;
  const value = decodeAscii(raw.subarray(colon)).replace(/(^|;)([ \t\r\n]*b[ \t\r\n]*=)[^;]*/, '$1$2');
  return form === 'relaxed'
    ? utf8(relaxedHeader('dkim-signature', value))
    : concat(raw.subarray(0, colon), utf8(value));
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
    if ((rsaKey.algorithm as RsaKeyAlgorithm).modulusLength < MIN_RSA_BITS) return false;
    return await crypto.subtle.verify(scheme, rsaKey, new Uint8Array(signature), new Uint8Array(signed));
  } catch {
    // A malformed key verifies nothing.
    return false;
  }
}
