/** TSTInfo: what the authority asserts. RFC 3161 §2.4.2. */
import {
  type Bytes,
  children,
  context,
  DerError,
  type DerNode,
  expectTag,
  Fields,
  readBoolean,
  readOid,
  readSmall,
  readTime,
  readUnsigned,
  readWhole,
  TAG,
} from './der.ts';
import { readAlgorithm } from './signature.ts';

export interface TstInfo {
  readonly version: number;
  readonly policyOid: string;
  readonly hashOid: string;
  readonly imprint: Bytes;
  readonly serialNumber: Bytes;
  readonly genTime: Date;
  readonly accuracyMs: number | null;
  /** Magnitude, big-endian; null if the token has none. */
  readonly nonce: Bytes | null;
}

/** RFC 3161 §2.4.2: conforming users handle serial numbers of up to 160 bits. */
const MAX_SERIAL_BYTES = 20;
/** Requests of ours send 8 bytes, the widest seen elsewhere 20. */
const MAX_NONCE_BYTES = 64;

/** Throws DerError, also for any critical extension: none is supported. */
export function readTstInfo(content: Bytes): TstInfo {
  const what = 'TSTInfo';
  const fields = new Fields(readWhole(content, what), what);
  const version = readSmall(fields.any('version'), 'TSTInfo.version');
  const policyOid = readOid(fields.any('policy'), 'TSTInfo.policy');
  const messageImprint = new Fields(fields.any('messageImprint'), 'messageImprint');
  const serialNumber = readUnsigned(fields.any('serialNumber'), 'TSTInfo.serialNumber');
  const genTime = readTime(fields.next(TAG.generalizedTime, 'genTime'), 'genTime');
  const accuracy = fields.optional(TAG.sequence);
  const ordering = fields.optional(TAG.boolean);
  const nonce = fields.optional(TAG.integer);
  fields.optional(context(0)); // tsa: a hint; the certificate is bound by signature and ESSCertID
  const extensions = fields.optional(context(1));
  fields.end();
  const hashOid = readAlgorithm(messageImprint.any('hashAlgorithm'), 'messageImprint').oid;
  const imprint = messageImprint.next(TAG.octetString, 'hashedMessage').content;
  messageImprint.end();
  if (ordering !== undefined) readBoolean(ordering, 'ordering');
  if (extensions !== undefined) refuseCritical(extensions);
  if (serialNumber.length > MAX_SERIAL_BYTES) {
    throw new DerError(`serial number of ${serialNumber.length} bytes`);
  }
  const nonceBytes = nonce === undefined ? null : readUnsigned(nonce, 'nonce');
  if (nonceBytes !== null && nonceBytes.length > MAX_NONCE_BYTES) {
    throw new DerError(`nonce of ${nonceBytes.length} bytes`);
  }
  const accuracyMs = accuracy === undefined ? null : readAccuracy(accuracy);
  return { version, policyOid, hashOid, imprint, serialNumber, genTime, accuracyMs, nonce: nonceBytes };
}

function readAccuracy(node: DerNode): number {
  const fields = new Fields(node, 'accuracy');
  const seconds = fields.optional(TAG.integer);
  const millis = fields.optional(context(0, false));
  const micros = fields.optional(context(1, false));
  fields.end();
  return (
    1000 * (seconds === undefined ? 0 : readSmall(seconds, 'accuracy.seconds')) +
    thousandths(millis, 'accuracy.millis') +
    thousandths(micros, 'accuracy.micros') / 1000
  );
}

/** INTEGER (1..999) under an implicit tag. */
function thousandths(node: DerNode | undefined, what: string): number {
  if (node === undefined) return 0;
  const value = readSmall({ ...node, tag: TAG.integer }, what);
  if (value < 1 || value > 999) throw new DerError(`${what}: ${value} is not in 1..999`);
  return value;
}

function refuseCritical(node: DerNode): void {
  for (const extension of children(node, 'TSTInfo.extensions')) {
    const fields = new Fields(expectTag(extension, TAG.sequence, 'extension'), 'extension');
    const oid = readOid(fields.any('extnID'), 'extnID');
    const critical = fields.optional(TAG.boolean);
    if (critical !== undefined && readBoolean(critical, 'critical')) {
      throw new DerError(`critical TSTInfo extension ${oid}`);
    }
  }
}
