/** `acuse/delivery/v1`: an outcome of a message, chained to the leaf before it. */
import { SHA256_BYTES, type Sha256, toHex, utf8 } from './bytes.ts';
import { assertSource, type DeliverySource } from './delivery-facts.ts';
import { DELIVERY_KINDS, type DeliveryKind, eventOf, KINDS, reportRule } from './delivery-kinds.ts';
import {
  type DeliveryCommitments,
  type DeliveryContent,
  sealContent,
  writeOpenings,
} from './delivery-openings.ts';
import { EvidenceError } from './errors.ts';
import { jcs, parseCanonical } from './jcs.ts';
import {
  HEX_32_BYTES,
  readInteger,
  readNullable,
  readObject,
  readOneOf,
  readString,
  readTime,
  TIME,
  UUID,
} from './read-json.ts';
import { isKeyName } from './verifier-key.ts';

export const DELIVERY_TYPE = 'acuse/delivery/v1';

/**
 * Facts that anybody can check, and facts that rest on the operator's word and cannot be changed afterwards.
 */
const TRUST = {
  operator_asserted: ['attempt', 'dsn', 'facts', 'kind', 'occurred_at', 'source', 'transcript'],
  third_party_verifiable: ['message_canonical_hash', 'previous'],
} as const;

/** Where the hash of content is expected, a commitment stands: hex, see commitment.ts. */
export type DeliveryManifest = DeliveryCommitments & {
  attempt: number;
  /** Null: no event of the table says it. */
  etsi: string | null;
  kind: DeliveryKind;
  log: string;
  message_canonical_hash: string;
  message_id: string;
  occurred_at: string;
  /** The canonical hash of this message's leaf before this one: the message's own at first. */
  previous: string;
  source: DeliverySource;
  trust: { operator_asserted: readonly string[]; third_party_verifiable: readonly string[] };
  type: typeof DELIVERY_TYPE;
};

/** `secret`: 32 random bytes of this leaf's own. Hashes: 32 bytes. */
export type DeliveryInput = DeliveryContent & {
  log: string;
  messageId: string;
  messageCanonicalHash: Uint8Array;
  previous: Uint8Array;
  kind: DeliveryKind;
  source: DeliverySource;
  occurredAt: Date;
  attempt: number;
  secret: Uint8Array;
};

/**
 * `openings`: the bytes to keep with the content, and to erase with it. Throws EvidenceError for what no
 * manifest can be made of.
 */
export function buildDeliveryManifest(
  input: DeliveryInput,
  sha256: Sha256,
): { manifestBytes: Uint8Array; canonicalHash: Uint8Array; openings: Uint8Array } {
  assertInput(input);
  const sealed = sealContent(input, input.secret, sha256);
  const etsi = eventOf(input.kind, input.source);
  // Already canonical: names sorted, values that need no escapes (hex, a UUID, a time, our own names).
  const manifestBytes = utf8(
    `{"attempt":${input.attempt},"dsn":${quoted(sealed.dsn?.commitment)},"etsi":${quoted(etsi)},` +
      `"facts":"${sealed.facts.commitment}","kind":"${input.kind}","log":${jcs(input.log)},` +
      `"message_canonical_hash":"${toHex(input.messageCanonicalHash)}","message_id":"${input.messageId}",` +
      `"occurred_at":"${input.occurredAt.toISOString()}","previous":"${toHex(input.previous)}",` +
      `"source":"${input.source}","transcript":${quoted(sealed.transcript?.commitment)},` +
      `"trust":${TRUST_TEXT},"type":"${DELIVERY_TYPE}"}`,
  );
  const canonicalHash = sha256(manifestBytes);
  return { manifestBytes, canonicalHash, openings: writeOpenings(canonicalHash, sealed) };
}

function quoted(text: string | null | undefined): string {
  return text == null ? 'null' : `"${text}"`;
}

/** Refuses what parseDeliveryManifest would refuse, before anything is hashed. */
function assertInput(input: DeliveryInput): void {
  const { kind, source, log, messageId, messageCanonicalHash, previous } = input;
  const fault = (what: string) => new EvidenceError('delivery', what);
  if (!KINDS[kind].sources.includes(source))
    throw fault(`an outcome ${kind} does not come from the source ${source}`);
  const why = reportFault(kind, source, input.dsn !== null);
  if (why !== null) throw fault(why);
  if (source !== 'session' && input.transcript !== null)
    throw fault(`an outcome from the source ${source} has no transcript`);
  if (!UUID.test(messageId) || !TIME.test(input.occurredAt.toISOString()))
    throw fault('message_id or occurred_at is malformed');
  if (messageCanonicalHash.length !== SHA256_BYTES || previous.length !== SHA256_BYTES)
    throw fault(`message_canonical_hash or previous is not ${SHA256_BYTES} bytes`);
  if (log !== lastLog) {
    if (!isKeyName(log)) throw fault('log is malformed');
    lastLog = log;
  }
  readInteger(input.attempt, 'delivery', 'attempt');
  assertSource(input.facts, kind, source);
}

function reportFault(kind: DeliveryKind, source: DeliverySource, isThere: boolean): string | null {
  const rule = reportRule(kind, source);
  if (rule === 'never' && isThere) return `an outcome ${kind} has no delivery report`;
  return rule === 'always' && !isThere ? `an outcome ${kind} from the source ${source} has its mail` : null;
}

/** An installation has one log: its name is checked once. */
let lastLog = '';

/** Throws EvidenceError `delivery` for bytes that are not exactly such a manifest. */
export function parseDeliveryManifest(bytes: Uint8Array): DeliveryManifest {
  const check = 'delivery';
  const root = readObject(parseCanonical(bytes, check), check, MANIFEST_FIELDS);
  readOneOf(root['type'], check, 'type', [DELIVERY_TYPE]);
  const kind = readOneOf(root['kind'], check, 'kind', DELIVERY_KINDS);
  const source = readOneOf(root['source'], check, 'source', KINDS[kind].sources);
  const event = eventOf(kind, source);
  if (event !== null) readOneOf(root['etsi'], check, 'etsi', [event]);
  else if (root['etsi'] !== null) throw new EvidenceError(check, `an outcome ${kind} has no etsi event`);
  const why = reportFault(kind, source, root['dsn'] !== null);
  if (why !== null) throw new EvidenceError(check, why);
  if (!isKeyName(readString(root['log'], check, 'log'))) throw new EvidenceError(check, 'log is malformed');
  readString(root['message_id'], check, 'message_id', UUID);
  readTime(root['occurred_at'], check, 'occurred_at');
  readInteger(root['attempt'], check, 'attempt');
  for (const name of ['facts', 'message_canonical_hash', 'previous'])
    readString(root[name], check, name, HEX_32_BYTES);
  for (const name of ['dsn', 'transcript'])
    readNullable(root[name], (value) => readString(value, check, name, HEX_32_BYTES));
  if (source !== 'session' && root['transcript'] !== null)
    throw new EvidenceError(check, `an outcome from the source ${source} has no transcript`);
  if (jcs(root['trust']) !== TRUST_TEXT)
    throw new EvidenceError(check, 'the trust field is not one that this version knows');
  return root as unknown as DeliveryManifest;
}

const TRUST_TEXT = jcs(TRUST);

const MANIFEST_FIELDS = [
  'attempt',
  'dsn',
  'etsi',
  'facts',
  'kind',
  'log',
  'message_canonical_hash',
  'message_id',
  'occurred_at',
  'previous',
  'source',
  'transcript',
  'trust',
  'type',
];
