/**
 * Certificate revocation lists: the part of RFC 5280 §5 that tells whether an authority's certificate was
 * valid.
 */
import { equalBytes } from '../bytes.ts';
import {
  type Bytes,
  children,
  context,
  DerError,
  type DerNode,
  Fields,
  readBitOctets,
  readElement,
  readSmall,
  readTime,
  readWhole,
  TAG,
  unwrap,
} from './der.ts';
import { readEntryExtensions, readExtensions } from './extension.ts';
import { OID } from './oids.ts';
import { earlier, type Revoked, worseOf } from './reasons.ts';
import { readAlgorithm, type SignatureAlgorithm, signatureAlgorithm } from './signature.ts';

/**
 * The lists of time-stamping authorities have kilobytes; one of this size names a hundred thousand
 * certificates.
 */
export const MAX_CRL_BYTES = 4 * 1024 * 1024;

export type RevocationList = {
  issuerDer: Bytes;
  thisUpdate: Date;
  nextUpdate: Date | null;
  tbs: Bytes;
  signatureAlgorithm: SignatureAlgorithm;
  signature: Bytes;
  /** SEQUENCE OF revoked certificates, unread: it may be long. */
  entries: Bytes;
};

/**
 * Throws DerError, also for a list that is not whole: a delta, an indirect one, one of some reasons or kinds
 * only.
 */
export function readCrl(der: Uint8Array): RevocationList {
  if (der.length > MAX_CRL_BYTES) throw new DerError(`revocation list of ${der.length} bytes`);
  const outer = new Fields(readWhole(new Uint8Array(der), 'CertificateList'), 'CertificateList');
  const tbs = outer.next(TAG.sequence, 'tbsCertList');
  const algorithm = outer.next(TAG.sequence, 'signatureAlgorithm');
  const signature = readBitOctets(outer.any('signatureValue'), 'CertificateList.signatureValue');
  outer.end();

  const fields = new Fields(tbs, 'tbsCertList');
  const version = fields.optional(TAG.integer);
  if (version !== undefined && readSmall(version, 'version') !== 1)
    throw new DerError('revocation list is not v2');
  const inner = fields.next(TAG.sequence, 'signature');
  if (!equalBytes(inner.bytes, algorithm.bytes))
    throw new DerError('revocation list names two signature algorithms');
  const issuer = fields.next(TAG.sequence, 'issuer');
  const thisUpdate = readTime(fields.any('thisUpdate'), 'thisUpdate');
  const next = fields.optional(TAG.utcTime, TAG.generalizedTime);
  const entries = fields.optional(TAG.sequence);
  const extensions = fields.optional(context(0));
  fields.end();
  if (extensions !== undefined) assertWhole(unwrap(extensions, 'crlExtensions'));
  return {
    issuerDer: issuer.bytes,
    thisUpdate,
    nextUpdate: next === undefined ? null : readTime(next, 'nextUpdate'),
    tbs: tbs.bytes,
    signatureAlgorithm: signatureAlgorithm(readAlgorithm(algorithm, 'signatureAlgorithm')),
    signature,
    entries: entries?.content ?? new Uint8Array(0),
  };
}

/**
 * A critical extension that is not understood refuses the list; the distribution point is, as far as it
 * limits nothing. RFC 5280 §5.2
 */
function assertWhole(extensions: DerNode): void {
  for (const { oid, critical, content } of readExtensions(extensions, 'crlExtensions')) {
    if (oid === OID.issuingDistributionPoint) assertUnlimited(readWhole(content, oid));
    else if (oid === OID.deltaCrlIndicator) throw new DerError('revocation list is a delta of another');
    else if (critical) throw new DerError(`revocation list: critical extension ${oid}`);
  }
}

/**
 * Only the distribution point [0] itself may be named: each other field leaves certificates out. RFC 5280
 * §5.2.5
 */
function assertUnlimited(point: DerNode): void {
  const limit = children(point, 'issuingDistributionPoint').find(({ tag }) => tag !== context(0));
  if (limit !== undefined)
    throw new DerError(`revocation list is limited: field ${limit.tag & 0x1f} of its distribution point`);
}

/** A list's entry for one certificate. `understood`: all of the list's entries are. */
export type ListWord = { revoked: Revoked | null; understood: boolean };

/**
 * Reads the list once. After an entry with an unknown critical extension the whole list is not understood: it
 * proves no certificate good, and its reasons are unknown. Throws DerError. RFC 5280 §5.3
 */
export function lookUp(list: RevocationList, serialNumber: Uint8Array): ListWord {
  let revoked: Revoked | null = null;
  let understood = true;
  for (let rest = list.entries; rest.length > 0; ) {
    const entry = readElement(rest, 'revokedCertificate');
    rest = rest.subarray(entry.bytes.length);
    const serial = readElement(entry.content, 'userCertificate');
    const time = readElement(entry.content.subarray(serial.bytes.length), 'revocationDate');
    if (entry.tag !== TAG.sequence || serial.tag !== TAG.integer)
      throw new DerError('revokedCertificates: malformed entry');
    const own = equalBytes(serial.content, serialNumber);
    const more = entry.content.subarray(serial.bytes.length + time.bytes.length);
    if (!own && more.length === 0) continue;
    const extensions =
      more.length === 0 ? [] : readExtensions(readWhole(more, 'crlEntryExtensions'), 'crlEntryExtensions');
    const { reason, invalidSince, unknownCritical } = readEntryExtensions(extensions);
    understood &&= unknownCritical === undefined;
    if (own) {
      const said = { from: earlier(readTime(time, 'revocationDate'), invalidSince), reason };
      revoked = revoked === null ? said : worseOf(revoked, said);
    }
  }
  if (revoked !== null && !understood) revoked.reason = null;
  return { revoked, understood };
}
