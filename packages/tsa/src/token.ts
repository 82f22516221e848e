/**
 * A time-stamp response from a plan of its parts. A plan can state what no honest authority would: tests
 * alter it to make each fault.
 */
import { createHash, type KeyObject } from 'node:crypto';
import { readCertificate } from '@acuse/evidence/timestamp/certificate';
import { TAG } from '@acuse/evidence/timestamp/der';
import { encode, encodeUnsigned } from '@acuse/evidence/timestamp/encode';
import { OID } from '@acuse/evidence/timestamp/oids';
import * as asn1 from './asn1.ts';
import { HASH_OIDS, type SigningHash, signatureIdentifier, signDer } from './sign.ts';

/** TSTInfo's fields. RFC 3161 §2.4.2. */
export interface TstPlan {
  readonly version: number;
  readonly policyOid: string;
  readonly hashOid: string;
  readonly imprint: Uint8Array;
  readonly serialNumber: Uint8Array;
  readonly genTime: Date;
  readonly accuracySeconds?: number;
  readonly nonce?: Uint8Array;
  /** The serial number's octets, unchanged: a faulty one is negative or empty. */
  readonly rawSerial?: Uint8Array;
}

/** The certificate that SigningCertificateV2, or the older SigningCertificate, names. */
export interface EssPlan {
  readonly version: 1 | 2;
  readonly certificateHash: Uint8Array;
  /** The certificate whose issuer and serial number go along; null: none. */
  readonly issuerSerialOf: Uint8Array | null;
}

export interface TokenPlan {
  readonly status: number;
  readonly signedDataVersion: number;
  readonly contentType: string;
  readonly tst: TstPlan;
  /** DER, in this order. */
  readonly certificates: readonly Uint8Array[];
  /** The certificate that the signer identifier names. */
  readonly signerCertificate: Uint8Array;
  readonly signingKey: KeyObject;
  readonly digest: SigningHash;
  /** The hash inside the signature, when it is not `digest`. */
  readonly signatureHash?: SigningHash;
  readonly signingTime: Date;
  /** Null: the attribute is left out. */
  readonly contentTypeAttribute: string | null;
  /** Given: instead of the true digest of the TSTInfo. Null: the attribute is left out. */
  readonly messageDigest?: Uint8Array | null;
  readonly ess: readonly EssPlan[];
  readonly signerInfos: number;
  /** Digest algorithms listed in SignedData; the signer's alone by default. */
  readonly digestAlgorithms?: readonly SigningHash[];
  /** 1 by default, as with an issuer and a serial number. */
  readonly signerVersion?: number;
  /** Alters the signed attributes, in their order, before they are signed; null: there are none. */
  readonly attributes?: (honest: readonly Uint8Array[]) => readonly Uint8Array[] | null;
  /** DER; not signed. */
  readonly unsignedAttributes?: readonly Uint8Array[];
}

/** TSTInfo, DER. */
export function encodeTstInfo(tst: TstPlan): Uint8Array {
  return asn1.sequence(
    asn1.integer(tst.version),
    asn1.oid(tst.policyOid),
    asn1.sequence(asn1.algorithm(tst.hashOid, asn1.NULL), asn1.octetString(tst.imprint)),
    tst.rawSerial === undefined ? encodeUnsigned(tst.serialNumber) : encode(TAG.integer, tst.rawSerial),
    asn1.generalizedTime(tst.genTime),
    tst.accuracySeconds === undefined ? asn1.nothing : asn1.sequence(asn1.integer(tst.accuracySeconds)),
    tst.nonce === undefined ? asn1.nothing : encodeUnsigned(tst.nonce),
  );
}

/** TimeStampResp, DER. */
export function encodeResponse(plan: TokenPlan): Uint8Array {
  return asn1.sequence(asn1.sequence(asn1.integer(plan.status)), encodeToken(plan));
}

/** TimeStampToken: a ContentInfo with SignedData. RFC 5652 §5.1. */
export function encodeToken(plan: TokenPlan): Uint8Array {
  const tstInfo = encodeTstInfo(plan.tst);
  const signer = encodeSignerInfo(plan, tstInfo);
  const signedData = asn1.sequence(
    asn1.integer(plan.signedDataVersion),
    asn1.setOf(...(plan.digestAlgorithms ?? [plan.digest]).map((name) => asn1.algorithm(HASH_OIDS[name]))),
    asn1.sequence(asn1.oid(plan.contentType), asn1.tagged(0, asn1.octetString(tstInfo))),
    plan.certificates.length === 0 ? asn1.nothing : asn1.tagged(0, ...plan.certificates),
    encode(0x31, ...Array.from({ length: plan.signerInfos }, () => signer)),
  );
  return asn1.sequence(asn1.oid(OID.signedData), asn1.tagged(0, signedData));
}

/** RFC 5652 §5.3, with the attributes of RFC 3161 §2.4.2 and RFC 5816 §2.2.1. */
function encodeSignerInfo(plan: TokenPlan, tstInfo: Uint8Array): Uint8Array {
  const certificate = readCertificate(plan.signerCertificate);
  const digest = plan.messageDigest === undefined ? hash(plan.digest, tstInfo) : plan.messageDigest;
  const honest = asn1.sorted([
    ...(plan.contentTypeAttribute === null
      ? []
      : [attribute(OID.contentType, asn1.oid(plan.contentTypeAttribute))]),
    attribute('1.2.840.113549.1.9.5', asn1.certificateTime(plan.signingTime)),
    ...(digest === null ? [] : [attribute(OID.messageDigest, asn1.octetString(digest))]),
    ...plan.ess.map(encodeEss),
  ]);
  const attributes = plan.attributes === undefined ? honest : plan.attributes(honest);
  const signatureHash = plan.signatureHash ?? plan.digest;
  // Signed as a SET OF, written under [0]. RFC 5652 §5.4
  const signed = attributes === null ? tstInfo : encode(0x31, ...attributes);
  const signature = signDer(plan.signingKey, signatureHash, signed);
  return asn1.sequence(
    asn1.integer(plan.signerVersion ?? 1),
    asn1.sequence(certificate.issuerDer, encode(0x02, certificate.serialNumber)),
    asn1.algorithm(HASH_OIDS[plan.digest]),
    attributes === null ? asn1.nothing : asn1.tagged(0, ...attributes),
    signatureIdentifier(plan.signingKey, signatureHash),
    asn1.octetString(signature),
    plan.unsignedAttributes === undefined ? asn1.nothing : asn1.tagged(1, ...plan.unsignedAttributes),
  );
}

export const attribute = (oid: string, value: Uint8Array): Uint8Array =>
  asn1.sequence(asn1.oid(oid), asn1.setOf(value));

/** ESSCertIDv2's hash is SHA-256 by default, and DER leaves a default out. RFC 5035 §4. */
function encodeEss(ess: EssPlan): Uint8Array {
  const named = ess.issuerSerialOf === null ? null : readCertificate(ess.issuerSerialOf);
  const issuerSerial =
    named === null
      ? asn1.nothing
      : asn1.sequence(asn1.sequence(asn1.tagged(4, named.issuerDer)), encode(0x02, named.serialNumber));
  const certificateId = asn1.sequence(asn1.octetString(ess.certificateHash), issuerSerial);
  return attribute(
    ess.version === 2 ? OID.signingCertificateV2 : OID.signingCertificate,
    asn1.sequence(asn1.sequence(certificateId)),
  );
}

export function hash(algorithm: SigningHash, data: Uint8Array): Uint8Array {
  return new Uint8Array(createHash(algorithm).update(data).digest());
}
