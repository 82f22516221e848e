/** `acuse/message/v1`: what the leaf of a certified message commits to. */
import { concat, put, putAscii, SHA256_BYTES, type Sha256, utf8, type Writer } from './bytes.ts';
import { putCommitment } from './commitment.ts';
import { EvidenceError } from './errors.ts';
import { jcs, jcsBytes, parseCanonical } from './jcs.ts';
import { partFactsHash } from './layers.ts';
import { MAX_ENTITIES } from './mime-parts.ts';
import { contentHashes, LABEL, type MessageCommitments, type MessageContent } from './openings.ts';
import { HEX_32_BYTES, readArray, readObject, readOneOf, readString, readTime, UUID } from './read-json.ts';
import { isKeyName } from './verifier-key.ts';

export const MESSAGE_TYPE = 'acuse/message/v1';

const EVIDENCE_FIELD = utf8('Service-Evidence:');

/**
 * The DKIM key that signs the message, as it was when the message was accepted. `public_key`: base64, the
 * record's `p=`.
 */
export type DkimFact = {
  algorithm: 'rsa-sha256' | 'ed25519-sha256';
  domain: string;
  public_key: string;
  selector: string;
};

/** Where a hash is expected, a commitment stands: hex, see commitment.ts. */
export type MessageManifest = MessageCommitments & {
  accepted_at: string;
  /** Only where the recipient was asked to acknowledge the message, until then. */
  acknowledgement?: { until: string };
  dkim: readonly DkimFact[];
  /** The operator asserts the envelope: nobody else saw it when the message was accepted. */
  envelope: { asserted_by: 'operator' };
  log: string;
  message_id: string;
  tenant_id: string;
  tenant_sequence: string;
  type: typeof MESSAGE_TYPE;
};

/** `log`: the log's origin. `secret`: 32 random bytes, kept with the content and erased with it. */
export type MessageInput = MessageContent & {
  log: string;
  messageId: string;
  tenantId: string;
  acceptedAt: Date;
  /** Until when the recipient may acknowledge it; absent: nobody asked. */
  acknowledgeUntil?: Date | undefined;
  /** Never changed once it was given: what it reads as is remembered. */
  dkim: readonly DkimFact[];
  secret: Uint8Array;
};

/** A manifest without its sequence: canonical text before and after it. */
export type ManifestDraft = { prefix: Uint8Array; suffix: Uint8Array };

/**
 * Everything that can be done before the sequence is known; some tens of microseconds for a small message.
 * Throws EvidenceError `manifest`, `message` or `parts` for what no manifest can be made of.
 */
export function draftMessageManifest(input: MessageInput, sha256: Sha256): ManifestDraft {
  if (!isKeyName(input.log) || !UUID.test(input.messageId) || !UUID.test(input.tenantId))
    throw new EvidenceError('manifest', 'log, message_id or tenant_id is malformed');
  if (!startsWith(input.raw, EVIDENCE_FIELD))
    throw new EvidenceError('message', 'does not start with its Service-Evidence field');
  const hashes = contentHashes(input, sha256);
  const parts = hashes.parts.map((part) => partFactsHash(part, sha256));
  const acceptedAt = input.acceptedAt.toISOString();
  const asked = askedText(input.acknowledgeUntil);
  const dkim = dkimBytes(input.dkim);
  const log = logBytes(input.log);
  const ids = input.messageId.length + input.tenantId.length;
  const size = acceptedAt.length + asked.length + dkim.length + log.length + ids + sizeOfRest(parts.length);
  const writer: Writer = { out: new Uint8Array(size), at: 0 };
  const seal = (label: string, hash: Uint8Array) =>
    putCommitment(writer, input.secret, { label, hash }, sha256);
  // Canonical as it stands: names sorted, and values that need no escapes (hex, UUIDs, a time).
  // tenant_sequence and type sort last, so that one cut is enough. In bytes that are written once: a text of
  // so many pieces costs as much to encode, and pieces as much to join, as half of the hashes.
  put(writer, TEXT.acceptedAt);
  putAscii(writer, acceptedAt);
  putAscii(writer, asked);
  put(writer, TEXT.dkim);
  put(writer, dkim);
  put(writer, TEXT.mailFrom);
  seal(LABEL.mailFrom, hashes.mailFrom);
  put(writer, TEXT.rcptTo);
  seal(LABEL.rcptTo, hashes.rcptTo);
  put(writer, TEXT.log);
  put(writer, log);
  put(writer, TEXT.body);
  seal(LABEL.body, hashes.body);
  put(writer, TEXT.header);
  seal(LABEL.header, hashes.header);
  put(writer, TEXT.parts);
  for (let index = 0; index < parts.length; index++) {
    put(writer, index === 0 ? TEXT.firstPart : TEXT.nextPart);
    seal(LABEL.part(index), parts[index]!);
  }
  put(writer, parts.length === 0 ? TEXT.rawAfterNone : TEXT.raw);
  seal(LABEL.raw, hashes.raw);
  put(writer, TEXT.messageId);
  putAscii(writer, input.messageId);
  put(writer, TEXT.submission);
  seal(LABEL.submission, hashes.submission);
  put(writer, TEXT.tenantId);
  putAscii(writer, input.tenantId);
  put(writer, TEXT.sequence);
  return { prefix: writer.out, suffix: SUFFIX };
}

/** True if these bytes are exactly the manifest of this input. Throws as draftMessageManifest. */
export function isMessageManifest(
  bytes: Uint8Array,
  input: MessageInput,
  tenantSequence: bigint,
  sha256: Sha256,
): boolean {
  const { prefix, suffix } = draftMessageManifest(input, sha256);
  let at = 0;
  for (const piece of [prefix, sequenceText(tenantSequence), suffix]) {
    for (let i = 0; i < piece.length; i++) if (bytes[at + i] !== piece[i]) return false;
    at += piece.length;
  }
  return at === bytes.length;
}

/** After the value of accepted_at: its end, and until when the recipient is asked, for the few that ask. */
function askedText(until: Date | undefined): string {
  return until === undefined ? '"' : `","acknowledgement":{"until":"${until.toISOString()}"}`;
}

/** The text between the values. */
const TEXT = {
  acceptedAt: utf8('{"accepted_at":"'),
  dkim: utf8(',"dkim":'),
  mailFrom: utf8(',"envelope":{"asserted_by":"operator","mail_from":"'),
  rcptTo: utf8('","rcpt_to":"'),
  log: utf8('"},"log":'),
  body: utf8(',"mail":{"body":"'),
  header: utf8('","header":"'),
  parts: utf8('","parts":['),
  firstPart: utf8('"'),
  nextPart: utf8('","'),
  raw: utf8('"],"raw":"'),
  rawAfterNone: utf8('],"raw":"'),
  messageId: utf8('"},"message_id":"'),
  submission: utf8('","submission":"'),
  tenantId: utf8('","tenant_id":"'),
  sequence: utf8('","tenant_sequence":"'),
};

/** Commitments besides those of parts. */
const SEALED = 6;
const COMMITMENT_CHARS = 2 * SHA256_BYTES;

const { firstPart, nextPart, raw, rawAfterNone, ...always } = TEXT;
const ALWAYS = Object.values(always).reduce((sum, text) => sum + text.length, 0);

/** Bytes of a draft with so many parts, without the values that differ between messages. */
function sizeOfRest(parts: number): number {
  const size = ALWAYS + (SEALED + parts) * COMMITMENT_CHARS;
  if (parts === 0) return size + rawAfterNone.length;
  return size + firstPart.length + (parts - 1) * nextPart.length + raw.length;
}

/** The log of the message before: there is one at a time. */
let lastLog = { log: '', bytes: utf8(jcs('')) };

function logBytes(log: string): Uint8Array {
  if (lastLog.log !== log) lastLog = { log, bytes: utf8(jcs(log)) };
  return lastLog.bytes;
}

/** A sender's keys are the same from message to message: written once for as long as their array lives. */
const dkimTexts = new WeakMap<readonly DkimFact[], Uint8Array>();

function dkimBytes(keys: readonly DkimFact[]): Uint8Array {
  const known = dkimTexts.get(keys);
  if (known !== undefined) return known;
  const bytes = jcsBytes(
    keys.map(({ algorithm, domain, public_key, selector }) => ({ algorithm, domain, public_key, selector })),
  );
  dkimTexts.set(keys, bytes);
  return bytes;
}

const SUFFIX = utf8(`","type":"${MESSAGE_TYPE}"}`);

/** One copy and one hash: fit for inside a transaction. */
export function finishManifest(
  draft: ManifestDraft,
  tenantSequence: bigint,
  sha256: Sha256,
): { manifestBytes: Uint8Array; canonicalHash: Uint8Array } {
  const manifestBytes = concat(draft.prefix, sequenceText(tenantSequence), draft.suffix);
  return { manifestBytes, canonicalHash: sha256(manifestBytes) };
}

function sequenceText(tenantSequence: bigint): Uint8Array {
  if (tenantSequence < 0n) throw new EvidenceError('manifest', 'the sequence is negative');
  return utf8(String(tenantSequence));
}

/** Throws EvidenceError `manifest` for bytes that are not exactly such a manifest. */
export function parseMessageManifest(bytes: Uint8Array): MessageManifest {
  const check = 'manifest';
  const root = readObject(parseCanonical(bytes, check), check, MANIFEST_FIELDS, ['acknowledgement']);
  readOneOf(root['type'], check, 'type', [MESSAGE_TYPE]);
  readTime(root['accepted_at'], check, 'accepted_at');
  const asked = root['acknowledgement'];
  if (asked !== undefined) readTime(readObject(asked, check, ['until'])['until'], check, 'until');
  readString(root['message_id'], check, 'message_id', UUID);
  readString(root['tenant_id'], check, 'tenant_id', UUID);
  readString(root['tenant_sequence'], check, 'tenant_sequence', /^(0|[1-9]\d{0,19})$/);
  readString(root['submission'], check, 'submission', HEX_32_BYTES);
  if (!isKeyName(readString(root['log'], check, 'log'))) throw new EvidenceError(check, 'log is malformed');
  const envelope = readObject(root['envelope'], check, ['asserted_by', 'mail_from', 'rcpt_to']);
  readOneOf(envelope['asserted_by'], check, 'asserted_by', ['operator']);
  const mail = readObject(root['mail'], check, ['body', 'header', 'parts', 'raw']);
  for (const name of ['mail_from', 'rcpt_to']) readString(envelope[name], check, name, HEX_32_BYTES);
  for (const name of ['body', 'header', 'raw']) readString(mail[name], check, name, HEX_32_BYTES);
  for (const part of readArray(mail['parts'], check, 'parts', MAX_ENTITIES))
    readString(part, check, 'parts', HEX_32_BYTES);
  for (const key of readArray(root['dkim'], check, 'dkim', MAX_DKIM_KEYS)) readDkimFact(key, check);
  return root as unknown as MessageManifest;
}

const MANIFEST_FIELDS = [
  'accepted_at',
  'dkim',
  'envelope',
  'log',
  'mail',
  'message_id',
  'submission',
  'tenant_id',
  'tenant_sequence',
  'type',
];

/** Signatures on one message. */
const MAX_DKIM_KEYS = 8;

/** Throws EvidenceError under the name of the check. */
export function readDkimFact(value: Parameters<typeof readObject>[0], check: string): DkimFact {
  const key = readObject(value, check, ['algorithm', 'domain', 'public_key', 'selector']);
  return {
    algorithm: readOneOf(key['algorithm'], check, 'algorithm', ['rsa-sha256', 'ed25519-sha256']),
    domain: readString(key['domain'], check, 'domain', /^[\x21-\x7e]{1,253}$/),
    public_key: readString(key['public_key'], check, 'public_key', /^[A-Za-z0-9+/=]{1,2048}$/),
    selector: readString(key['selector'], check, 'selector', /^[\x21-\x7e]{1,253}$/),
  };
}

function startsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  return prefix.every((byte, i) => bytes[i] === byte);
}
