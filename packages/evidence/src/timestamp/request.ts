/** TimeStampReq: what is sent to an authority, as application/timestamp-query. RFC 3161 §2.4.1. */
import { EvidenceError } from '../errors.ts';
import { DerError, TAG } from './der.ts';
import { encode, encodeOid, encodeSequence, encodeUnsigned } from './encode.ts';
import { HASHES } from './oids.ts';
import { openTimeStamp } from './parse.ts';
import type { ExpectedTimeStamp } from './policy.ts';
import type { ResponseStatus } from './response.ts';

/** RFC 3161 §3.4. */
export const TIME_STAMP_QUERY_TYPE = 'application/timestamp-query';
export const TIME_STAMP_REPLY_TYPE = 'application/timestamp-reply';

export interface TimeStampRequestOptions {
  /**
   * Ask for the signer's certificate in the token (default true); without it a token cannot be verified on
   * its own.
   */
  readonly certReq?: boolean;
}

/**
 * DER of a v1 request for what is expected. Throws EvidenceError for an imprint of the wrong size or a policy
 * that is not an OID.
 */
export function buildTimeStampRequest(
  wanted: ExpectedTimeStamp,
  options: TimeStampRequestOptions = {},
): Uint8Array {
  const hash = HASHES.find(({ name }) => name === wanted.hashAlgorithm);
  if (hash === undefined || wanted.imprint.length !== hash.sizeBytes) {
    throw new EvidenceError(
      'time_stamp_request',
      `an imprint of ${wanted.imprint.length} bytes does not fit ${wanted.hashAlgorithm}`,
    );
  }
  const policy = wanted.policy === undefined ? new Uint8Array(0) : encodeOid(wanted.policy);
  if (policy === undefined) {
    throw new EvidenceError('time_stamp_request', `policy ${JSON.stringify(wanted.policy)} is not an OID`);
  }
  // An explicit NULL: several authorities refuse an AlgorithmIdentifier without parameters.
  const algorithm = encodeSequence(encodeOid(hash.oid)!, encode(TAG.null));
  const version = encodeUnsigned(Uint8Array.of(1));
  const imprint = encodeSequence(algorithm, encode(TAG.octetString, wanted.imprint));
  const nonce = wanted.nonce === undefined ? new Uint8Array(0) : encodeUnsigned(wanted.nonce);
  const certReq = (options.certReq ?? true) ? encode(TAG.boolean, Uint8Array.of(0xff)) : new Uint8Array(0);
  return encodeSequence(version, imprint, policy, nonce, certReq);
}

/** The status of a TimeStampResp; null for bytes that are not one (HTML, a bare token, cut short). */
export function readResponseStatus(response: Uint8Array): ResponseStatus | null {
  try {
    return openTimeStamp(response).status;
  } catch (error) {
    if (error instanceof DerError) return null;
    throw error;
  }
}
