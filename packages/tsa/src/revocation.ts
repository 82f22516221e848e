/**
 * An authority's statements about the certificates that it issued: revocation lists (RFC 5280 §5) and OCSP
 * answers (RFC 6960).
 */
import { createHash } from 'node:crypto';
import { type Certificate, readCertificate } from '@acuse/evidence/timestamp/certificate';
import { Fields, readBitOctets, readWhole } from '@acuse/evidence/timestamp/der';
import { encode } from '@acuse/evidence/timestamp/encode';
import * as asn1 from './asn1.ts';
import { encodeExtension, type Issued } from './certificates.ts';
import { signatureIdentifier, signDer } from './sign.ts';

/** Times are cut to seconds. `nextUpdate` null: none is promised. */
export interface Validity {
  readonly thisUpdate: Date;
  readonly nextUpdate: Date | null;
}

/** The reason and the other extensions of one revocation. RFC 5280 §5.3 */
export interface Revocation {
  /** CRLReason; absent: none is stated. */
  readonly reason?: number;
  readonly invalidSince?: Date;
  /** Further extensions, as DER. */
  readonly extensions?: readonly Uint8Array[];
}

const reasonCode = (reason: number): Uint8Array => encode(0x0a, Uint8Array.of(reason));

const invalidityDate = (since: Date): Uint8Array =>
  encodeExtension('2.5.29.24', false, asn1.generalizedTime(wholeSeconds(since)));

function entryExtensions({ reason, invalidSince, extensions = [] }: Revocation): Uint8Array {
  const all = [
    ...(reason === undefined ? [] : [encodeExtension('2.5.29.21', false, reasonCode(reason))]),
    ...(invalidSince === undefined ? [] : [invalidityDate(invalidSince)]),
    ...extensions,
  ];
  return all.length === 0 ? asn1.nothing : asn1.sequence(...all);
}

export interface CrlRequest extends Validity {
  readonly issuer: Issued;
  /** Serial numbers (an INTEGER's octets) that are revoked, and since when. */
  readonly revoked?: readonly (Revocation & { readonly serialNumber: Uint8Array; readonly at: Date })[];
  /** In place of `nextUpdate`, as DER, whatever it is. */
  readonly rawNextUpdate?: Uint8Array;
  /** More entries, as DER, whatever they are. */
  readonly rawEntries?: readonly Uint8Array[];
  /** CRL extensions, as DER. */
  readonly extensions?: readonly Uint8Array[];
  /** Signs in the issuer's name, for forgeries. */
  readonly signer?: Issued;
}

/** CertificateList, DER, v2. */
export function makeCrl(request: CrlRequest): Uint8Array {
  const { issuer, nextUpdate, revoked = [], rawEntries = [], extensions = [], signer = issuer } = request;
  const next = nextUpdate === null ? asn1.nothing : asn1.certificateTime(nextUpdate);
  const identifier = signatureIdentifier(signer.key, 'sha256');
  const entries = revoked
    .map(({ serialNumber, at, ...why }) =>
      asn1.sequence(encode(0x02, serialNumber), asn1.certificateTime(at), entryExtensions(why)),
    )
    .concat(rawEntries);
  const tbs = asn1.sequence(
    asn1.integer(1),
    identifier,
    readCertificate(issuer.der).subjectDer,
    asn1.certificateTime(request.thisUpdate),
    request.rawNextUpdate ?? next,
    entries.length === 0 ? asn1.nothing : asn1.sequence(Buffer.concat(entries)),
    extensions.length === 0 ? asn1.nothing : asn1.tagged(0, asn1.sequence(...extensions)),
  );
  return asn1.sequence(tbs, identifier, asn1.bitString(signDer(signer.key, 'sha256', tbs)));
}

export interface OcspAnswerRequest extends Validity {
  readonly issuer: Issued;
  /** DER, of whom is asked about. */
  readonly certificate: Uint8Array;
  readonly status: 'good' | 'unknown' | (Revocation & { readonly revokedAt: Date });
  readonly producedAt: Date;
  /** The delegated responder; the issuer itself if absent. */
  readonly responder?: Issued;
}

/** OCSPResponse, DER, successful. */
export function makeOcspAnswer(request: OcspAnswerRequest): Uint8Array {
  const issuer = readCertificate(request.issuer.der);
  const responder = request.responder ?? request.issuer;
  const single = asn1.sequence(
    certificateId(readCertificate(request.certificate), issuer),
    encodeStatus(request.status),
    asn1.generalizedTime(wholeSeconds(request.thisUpdate)),
    request.nextUpdate === null
      ? asn1.nothing
      : asn1.tagged(0, asn1.generalizedTime(wholeSeconds(request.nextUpdate))),
    singleExtensions(request.status),
  );
  const tbs = asn1.sequence(
    asn1.tagged(1, readCertificate(responder.der).subjectDer),
    asn1.generalizedTime(wholeSeconds(request.producedAt)),
    asn1.sequence(single),
  );
  const basic = asn1.sequence(
    tbs,
    signatureIdentifier(responder.key, 'sha256'),
    asn1.bitString(signDer(responder.key, 'sha256', tbs)),
    request.responder === undefined ? asn1.nothing : asn1.tagged(0, asn1.sequence(request.responder.der)),
  );
  return asn1.sequence(
    encode(0x0a, Uint8Array.of(0)),
    asn1.tagged(0, asn1.sequence(asn1.oid('1.3.6.1.5.5.7.48.1.1'), asn1.octetString(basic))),
  );
}

function wholeSeconds(time: Date): Date {
  return new Date(Math.floor(time.getTime() / 1000) * 1000);
}

function certificateId(certificate: Certificate, issuer: Certificate): Uint8Array {
  const sha1 = (bytes: Uint8Array) =>
    asn1.octetString(new Uint8Array(createHash('sha1').update(bytes).digest()));
  return asn1.sequence(
    asn1.algorithm('1.3.14.3.2.26', asn1.NULL),
    sha1(issuer.subjectDer),
    sha1(keyBits(issuer)),
    encode(0x02, certificate.serialNumber),
  );
}

function keyBits({ publicKey }: Certificate): Uint8Array {
  if (publicKey.kind === 'refused') throw new RangeError(`the issuer's ${publicKey.reason}`);
  const fields = new Fields(readWhole(publicKey.spki, 'spki'), 'spki');
  fields.any('algorithm');
  return readBitOctets(fields.any('subjectPublicKey'), 'subjectPublicKey');
}

function encodeStatus(status: OcspAnswerRequest['status']): Uint8Array {
  if (status === 'good') return asn1.taggedPrimitive(0, asn1.nothing);
  if (status === 'unknown') return asn1.taggedPrimitive(2, asn1.nothing);
  return asn1.tagged(
    1,
    asn1.generalizedTime(wholeSeconds(status.revokedAt)),
    status.reason === undefined ? asn1.nothing : asn1.tagged(0, reasonCode(status.reason)),
  );
}

/** The reason has a field of its own; all else is as in a list. RFC 6960 §4.4.5 */
function singleExtensions(status: OcspAnswerRequest['status']): Uint8Array {
  if (typeof status === 'string') return asn1.nothing;
  const { reason: _, ...rest } = status;
  const extensions = entryExtensions(rest);
  return extensions.length === 0 ? asn1.nothing : asn1.tagged(1, extensions);
}
