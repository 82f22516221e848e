/** OCSP: asking an authority about one of its certificates, and reading what it answers. RFC 6960 */
import { equalBytes } from '../bytes.ts';
import type { Certificate } from './certificate.ts';
import {
  type Bytes,
  children,
  context,
  DerError,
  type DerNode,
  Fields,
  readBitOctets,
  readInteger,
  readOid,
  readTime,
  readWhole,
  TAG,
  unwrap,
} from './der.ts';
import { encode, encodeOid, encodeSequence } from './encode.ts';
import { readEntryExtensions, readExtensions, readReason } from './extension.ts';
import { hashByOid, OID } from './oids.ts';
import { earlier, type Revoked } from './reasons.ts';
import {
  type AlgorithmIdentifier,
  readAlgorithm,
  type SignatureAlgorithm,
  signatureAlgorithm,
} from './signature.ts';

export const OCSP_REQUEST_TYPE = 'application/ocsp-request';
export const OCSP_RESPONSE_TYPE = 'application/ocsp-response';
/** An answer with the responder's certificate has 2 KiB. */
export const MAX_OCSP_BYTES = 64 * 1024;
const MAX_CERTIFICATES = 8;

const SHA1 = '1.3.14.3.2.26';

export type CertificateId = {
  hash: AlgorithmIdentifier;
  issuerNameHash: Bytes;
  issuerKeyHash: Bytes;
  serialNumber: Bytes;
};

export type SingleAnswer = {
  id: CertificateId;
  status: 'good' | 'revoked' | 'unknown';
  /** With `revoked`. */
  revoked: Revoked | null;
  thisUpdate: Date;
  nextUpdate: Date | null;
};

export type OcspAnswer = {
  tbs: Bytes;
  signatureAlgorithm: SignatureAlgorithm;
  signature: Bytes;
  producedAt: Date;
  answers: readonly SingleAnswer[];
  /** DER of the responder that the issuer delegated to. */
  certificates: readonly Bytes[];
};

/** Asks about a certificate, without a nonce: most responders answer from what they signed beforehand. */
export async function buildOcspRequest(certificate: Certificate, issuer: Certificate): Promise<Uint8Array> {
  // SHA-1 as RFC 5019 §2.1.1 has it, which every responder knows: it picks a name, and nothing rests on it.
  const [nameHash, keyHash] = await issuerHashes(issuer, 'SHA-1');
  const id = encodeSequence(
    encodeSequence(encodeOid(SHA1)!, encode(TAG.null)),
    encode(TAG.octetString, nameHash),
    encode(TAG.octetString, keyHash),
    encode(TAG.integer, certificate.serialNumber),
  );
  return encodeSequence(encodeSequence(encodeSequence(encodeSequence(id))));
}

/** True if the answer is about this certificate of this issuer. */
export async function isAbout(
  { id }: SingleAnswer,
  certificate: Certificate,
  issuer: Certificate,
): Promise<boolean> {
  const hash = id.hash.oid === SHA1 ? 'SHA-1' : hashByOid(id.hash.oid)?.webCrypto;
  if (hash === undefined || !equalBytes(id.serialNumber, certificate.serialNumber)) return false;
  const [nameHash, keyHash] = await issuerHashes(issuer, hash);
  return equalBytes(id.issuerNameHash, nameHash) && equalBytes(id.issuerKeyHash, keyHash);
}

async function issuerHashes(issuer: Certificate, hash: string): Promise<[Uint8Array, Uint8Array]> {
  if (issuer.publicKey.kind === 'refused') throw new DerError(`issuer's ${issuer.publicKey.reason}`);
  const spki = new Fields(readWhole(issuer.publicKey.spki, 'spki'), 'spki');
  spki.any('algorithm');
  const key = readBitOctets(spki.any('subjectPublicKey'), 'subjectPublicKey');
  const digest = async (bytes: Bytes) => new Uint8Array(await crypto.subtle.digest(hash, bytes));
  return [await digest(issuer.subjectDer), await digest(key)];
}

/** Throws DerError, also for an answer that refuses to tell. RFC 6960 §4.2.1 */
export function readOcsp(der: Uint8Array): OcspAnswer {
  if (der.length > MAX_OCSP_BYTES) throw new DerError(`OCSP answer of ${der.length} bytes`);
  const outer = new Fields(readWhole(new Uint8Array(der), 'OCSPResponse'), 'OCSPResponse');
  const status = outer.next(ENUMERATED, 'responseStatus').content;
  if (status.length !== 1 || status[0] !== 0)
    throw new DerError(`OCSP: ${STATUS[status[0] ?? -1] ?? 'refused'}`);
  const inner = new Fields(unwrap(outer.next(context(0), 'responseBytes'), 'responseBytes'), 'ResponseBytes');
  outer.end();
  const type = readOid(inner.any('responseType'), 'responseType');
  if (type !== OID.basicOcsp) throw new DerError(`OCSP: answer of type ${type}`);
  const basic = new Fields(
    readWhole(inner.next(TAG.octetString, 'response').content, 'BasicOCSPResponse'),
    'BasicOCSPResponse',
  );
  const tbs = basic.next(TAG.sequence, 'tbsResponseData');
  const algorithm = basic.next(TAG.sequence, 'signatureAlgorithm');
  const signature = readBitOctets(basic.any('signature'), 'BasicOCSPResponse.signature');
  const certificates = basic.optional(context(0));
  basic.end();
  return {
    ...readResponseData(tbs),
    tbs: tbs.bytes,
    signatureAlgorithm: signatureAlgorithm(readAlgorithm(algorithm, 'signatureAlgorithm')),
    signature,
    certificates: certificates === undefined ? [] : readCertificates(certificates),
  };
}

const ENUMERATED = 0x0a;
const STATUS: Readonly<Record<number, string>> = {
  1: 'malformed request',
  2: 'internal error',
  3: 'try later',
  5: 'signature required',
  6: 'unauthorized',
};

function readCertificates(node: DerNode): Bytes[] {
  const all = children(unwrap(node, 'certs'), 'certs').map(({ bytes }) => bytes);
  if (all.length > MAX_CERTIFICATES) throw new DerError(`OCSP: ${all.length} certificates`);
  return all;
}

function readResponseData(tbs: DerNode): Pick<OcspAnswer, 'producedAt' | 'answers'> {
  const fields = new Fields(tbs, 'ResponseData');
  fields.optional(context(0)); // version: only one is defined
  const responder = fields.optional(context(1), context(2));
  if (responder === undefined) throw new DerError('ResponseData: no responderID');
  const producedAt = readTime(fields.next(TAG.generalizedTime, 'producedAt'), 'producedAt');
  const answers = children(fields.next(TAG.sequence, 'responses'), 'responses').map(readSingle);
  const extensions = fields.optional(context(1));
  fields.end();
  if (extensions !== undefined) refuseCritical(unwrap(extensions, 'responseExtensions'));
  return { producedAt, answers };
}

function readSingle(node: DerNode): SingleAnswer {
  const fields = new Fields(node, 'SingleResponse');
  const id = readCertificateId(fields.any('certID'));
  const status = fields.any('certStatus');
  const thisUpdate = readTime(fields.next(TAG.generalizedTime, 'thisUpdate'), 'thisUpdate');
  const next = fields.optional(context(0));
  const extensions = fields.optional(context(1));
  fields.end();
  const said =
    extensions === undefined
      ? []
      : readExtensions(unwrap(extensions, 'singleExtensions'), 'singleExtensions');
  const { invalidSince, unknownCritical } = readEntryExtensions(said);
  if (unknownCritical !== undefined) throw new DerError(`OCSP: critical extension ${unknownCritical}`);
  return {
    id,
    ...readStatus(status, invalidSince),
    thisUpdate,
    nextUpdate: next === undefined ? null : readTime(unwrap(next, 'nextUpdate'), 'nextUpdate'),
  };
}

function readStatus(node: DerNode, invalidSince: Date | null): Pick<SingleAnswer, 'status' | 'revoked'> {
  if (node.tag === context(0, false)) return { status: 'good', revoked: null };
  if (node.tag === context(2, false)) return { status: 'unknown', revoked: null };
  const fields = new Fields(node, 'RevokedInfo', context(1));
  const time = readTime(fields.next(TAG.generalizedTime, 'revocationTime'), 'revocationTime');
  const reason = fields.optional(context(0));
  fields.end();
  return {
    status: 'revoked',
    revoked: {
      from: earlier(time, invalidSince),
      reason: reason === undefined ? null : readReason(unwrap(reason, 'revocationReason')),
    },
  };
}

function readCertificateId(node: DerNode): CertificateId {
  const fields = new Fields(node, 'CertID');
  const id = {
    hash: readAlgorithm(fields.any('hashAlgorithm'), 'hashAlgorithm'),
    issuerNameHash: fields.next(TAG.octetString, 'issuerNameHash').content,
    issuerKeyHash: fields.next(TAG.octetString, 'issuerKeyHash').content,
    serialNumber: readInteger(fields.any('serialNumber'), 'serialNumber'),
  };
  fields.end();
  return id;
}

function refuseCritical(extensions: DerNode): void {
  const critical = readExtensions(extensions, 'responseExtensions').find((extension) => extension.critical);
  if (critical !== undefined) throw new DerError(`OCSP: critical extension ${critical.oid}`);
}
