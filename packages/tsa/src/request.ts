/** Reading a TimeStampReq from somebody else. RFC 3161 §2.4.1. */
import {
  children,
  context,
  DerError,
  type DerNode,
  Fields,
  readBoolean,
  readOid,
  readSmall,
  readUnsigned,
  readWhole,
  TAG,
} from '@acuse/evidence/timestamp/der';
import { hashByOid } from '@acuse/evidence/timestamp/oids';
import { readAlgorithm } from '@acuse/evidence/timestamp/signature';

/** An honest request takes under 100 bytes. */
export const MAX_REQUEST_BYTES = 4096;
/** Longer nonces than any client sends; they are copied into the token. */
const MAX_NONCE_BYTES = 64;

/** PKIFailureInfo bits. RFC 3161 §2.4.2 */
export const FAILURES = {
  badAlg: 0,
  badRequest: 2,
  badDataFormat: 5,
  timeNotAvailable: 14,
  unacceptedPolicy: 15,
  unacceptedExtension: 16,
} as const;

export type Failure = keyof typeof FAILURES;

export interface TimeStampRequest {
  readonly kind: 'request';
  readonly hashOid: string;
  readonly imprint: Uint8Array;
  readonly policyOid?: string;
  /** Magnitude, big-endian. */
  readonly nonce?: Uint8Array;
  readonly certReq: boolean;
}

export interface RefusedRequest {
  readonly kind: 'refused';
  readonly failure: Failure;
  readonly reason: string;
}

const refused = (failure: Failure, reason: string): RefusedRequest => ({ kind: 'refused', failure, reason });

/** Never throws for hostile bytes. */
export function parseTimeStampRequest(der: Uint8Array): TimeStampRequest | RefusedRequest {
  if (der.length > MAX_REQUEST_BYTES) return refused('badDataFormat', `over ${MAX_REQUEST_BYTES} bytes`);
  try {
    return read(readWhole(new Uint8Array(der), 'TimeStampReq'));
  } catch (error) {
    if (error instanceof DerError) return refused('badDataFormat', error.detail);
    throw error;
  }
}

function read(node: DerNode): TimeStampRequest | RefusedRequest {
  const fields = new Fields(node, 'TimeStampReq');
  const version = readSmall(fields.any('version'), 'version');
  if (version !== 1) return refused('badRequest', `version ${version}, expected 1`);
  const messageImprint = new Fields(fields.any('messageImprint'), 'messageImprint');
  const hashOid = readAlgorithm(messageImprint.any('hashAlgorithm'), 'hashAlgorithm').oid;
  const imprint = messageImprint.next(TAG.octetString, 'hashedMessage').content;
  messageImprint.end();
  const policy = fields.optional(TAG.oid);
  const nonceNode = fields.optional(TAG.integer);
  const flag = fields.optional(TAG.boolean);
  const extensions = fields.optional(context(0));
  fields.end();
  const hash = hashByOid(hashOid);
  if (hash === undefined) return refused('badAlg', `hash ${hashOid} is not SHA-256, SHA-384 or SHA-512`);
  if (imprint.length !== hash.sizeBytes) {
    return refused('badDataFormat', `${imprint.length} bytes do not fit ${hash.name}`);
  }
  if (extensions !== undefined && children(extensions, 'extensions').length > 0) {
    return refused('unacceptedExtension', 'no request extension is known here');
  }
  const nonce = nonceNode && readUnsigned(nonceNode, 'nonce');
  if (nonce && nonce.length > MAX_NONCE_BYTES) {
    return refused('badDataFormat', `nonce of ${nonce.length} bytes`);
  }
  const policyOid = policy && readOid(policy, 'reqPolicy');
  return {
    kind: 'request',
    hashOid,
    imprint,
    ...(policyOid !== undefined && { policyOid }),
    ...(nonce && { nonce }),
    certReq: flag !== undefined && readBoolean(flag, 'certReq'),
  };
}
