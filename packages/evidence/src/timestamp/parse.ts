/**
 * From the bytes an authority sends to its parts: TimeStampResp, ContentInfo, SignedData, SignerInfo. Parts
 * are read, not judged.
 */

import { toBase64 } from '../bytes.ts';
import {
  type Bytes,
  children,
  context,
  DerError,
  type DerNode,
  expectTag,
  Fields,
  readElement,
  readInteger,
  readOid,
  readSmall,
  TAG,
  unwrap,
} from './der.ts';
import { OID } from './oids.ts';
import { type ResponseStatus, readStatus } from './response.ts';
import { type AlgorithmIdentifier, readAlgorithm } from './signature.ts';

/** A token with its chain takes 3 to 8 KiB; this leaves room for embedded revocation lists. */
export const MAX_TOKEN_BYTES = 256 * 1024;
/** Certificates in one token; chains have two to four. */
export const MAX_TOKEN_CERTIFICATES = 16;
/** SignerInfos read; one is allowed, more are only counted. */
const MAX_SIGNERS = 4;

/**
 * The outermost layers. `status`: null when the bytes are a bare token; `token`: null when the authority sent
 * none.
 */
export interface TimeStampEnvelope {
  readonly status: ResponseStatus | null;
  readonly token: DerNode | null;
  readonly trailingBytes: number;
}

export interface SignedData {
  readonly version: number;
  readonly contentType: string;
  /** The octets that are digested: a TSTInfo, if contentType is right. */
  readonly content: Bytes;
  /** DER as they are, in their order, which has no meaning. */
  readonly certificates: readonly Bytes[];
  readonly signerCount: number;
  /** The first one. */
  readonly signer: SignerInfo;
}

export type SignerIdentifier =
  | { readonly kind: 'issuer-serial'; readonly issuerDer: Bytes; readonly serialNumber: Bytes }
  | { readonly kind: 'key-identifier'; readonly keyIdentifier: Bytes };

export interface SignerInfo {
  readonly sid: SignerIdentifier;
  readonly digestAlgorithm: AlgorithmIdentifier;
  /** The signed bytes: signedAttrs re-tagged as SET OF. RFC 5652 §5.4; null if there are none. */
  readonly signedBytes: Bytes | null;
  /** Attribute values by OID; an attribute that occurs twice has the values of both. */
  readonly attributes: ReadonlyMap<string, readonly DerNode[]>;
  readonly signatureAlgorithm: AlgorithmIdentifier;
  readonly signature: Bytes;
}

/** Takes a TimeStampResp or a bare ContentInfo apart. Throws DerError. RFC 3161 §2.4.2. */
export function openTimeStamp(input: Uint8Array): TimeStampEnvelope {
  if (input.length > MAX_TOKEN_BYTES) throw new DerError(`${input.length} bytes, over ${MAX_TOKEN_BYTES}`);
  // One copy at the door: nobody can change the bytes between two asynchronous checks.
  const bytes = new Uint8Array(input);
  const outer = readElement(bytes, 'time-stamp');
  const trailingBytes = bytes.length - outer.bytes.length;
  const fields = new Fields(outer, 'time-stamp');
  const first = fields.any('status or content type');
  if (first.tag === TAG.oid) return { status: null, token: outer, trailingBytes };
  const token = fields.optional(TAG.sequence) ?? null;
  fields.end();
  return { status: readStatus(first), token, trailingBytes };
}

/**
 * The TimeStampToken (ContentInfo, DER) inside a response or given bare; what `openssl ts -token_in` reads.
 * Throws DerError.
 */
export function responseToken(response: Uint8Array): Uint8Array {
  const { token } = openTimeStamp(response);
  if (token === null) throw new DerError('the response carries no token');
  return token.bytes;
}

/**
 * The certificates in a token as PEM texts, in the token's order, for a bundle's chain files. Throws
 * DerError.
 */
export function tokenCertificatesPem(response: Uint8Array): string[] {
  const { token } = openTimeStamp(response);
  return token === null ? [] : readSignedData(token).certificates.map(certificateToPem);
}

/** RFC 7468 §5: base64 in lines of 64. */
export function certificateToPem(der: Uint8Array): string {
  const lines = toBase64(der).match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

/** Throws DerError. RFC 5652 §5.1. */
export function readSignedData(token: DerNode): SignedData {
  const info = new Fields(token, 'ContentInfo');
  const type = readOid(info.any('contentType'), 'contentType');
  if (type !== OID.signedData) throw new DerError(`content type ${type}, expected id-signedData`);
  const fields = new Fields(unwrap(info.next(context(0), 'content'), 'content'), 'SignedData');
  info.end();
  const version = readSmall(fields.any('version'), 'SignedData.version');
  const digests = children(fields.next(TAG.set, 'digestAlgorithms'), 'digestAlgorithms');
  const encapsulated = new Fields(fields.any('encapContentInfo'), 'encapContentInfo');
  const certificates = fields.optional(context(0));
  fields.optional(context(1));
  const signers = children(fields.next(TAG.set, 'signerInfos'), 'signerInfos');
  fields.end();
  const contentType = readOid(encapsulated.any('eContentType'), 'eContentType');
  const content = unwrap(encapsulated.next(context(0), 'eContent'), 'eContent');
  encapsulated.end();
  const [first] = signers;
  if (first === undefined || signers.length > MAX_SIGNERS) {
    throw new DerError(`${signers.length} SignerInfos`);
  }
  const signer = readSignerInfo(first);
  if (
    !digests.some((digest) => readAlgorithm(digest, 'digestAlgorithms').oid === signer.digestAlgorithm.oid)
  ) {
    throw new DerError("digestAlgorithms lacks the signer's");
  }
  return {
    version,
    contentType,
    content: expectTag(content, TAG.octetString, 'eContent').content,
    certificates: certificates === undefined ? [] : readCertificateSet(certificates),
    signerCount: signers.length,
    signer,
  };
}

/** Plain certificates only; attribute certificates and other formats are passed over. RFC 5652 §10.2.3. */
function readCertificateSet(node: DerNode): Bytes[] {
  const plain = children(node, 'certificates').filter((child) => child.tag === TAG.sequence);
  if (plain.length > MAX_TOKEN_CERTIFICATES) {
    throw new DerError(`${plain.length} certificates, over ${MAX_TOKEN_CERTIFICATES}`);
  }
  return plain.map((child) => child.bytes);
}

function readSignerInfo(node: DerNode): SignerInfo {
  const fields = new Fields(node, 'SignerInfo');
  const version = readSmall(fields.any('version'), 'SignerInfo.version');
  const sid = readSignerIdentifier(fields.any('sid'));
  if (version !== (sid.kind === 'issuer-serial' ? 1 : 3)) {
    throw new DerError(`SignerInfo v${version} with ${sid.kind}`);
  }
  const digestAlgorithm = readAlgorithm(fields.any('digestAlgorithm'), 'digestAlgorithm');
  const signedAttributes = fields.optional(context(0));
  const signatureAlgorithm = readAlgorithm(fields.any('signatureAlgorithm'), 'signatureAlgorithm');
  const signature = fields.next(TAG.octetString, 'signature').content;
  fields.optional(context(1));
  fields.end();
  let signedBytes: Bytes | null = null;
  if (signedAttributes !== undefined) {
    signedBytes = signedAttributes.bytes.slice();
    signedBytes[0] = TAG.set;
  }
  const attributes = signedAttributes === undefined ? new Map() : readAttributes(signedAttributes);
  return { sid, digestAlgorithm, signedBytes, attributes, signatureAlgorithm, signature };
}

function readSignerIdentifier(node: DerNode): SignerIdentifier {
  if (node.tag === context(0, false)) return { kind: 'key-identifier', keyIdentifier: node.content };
  const fields = new Fields(node, 'sid');
  const issuerDer = fields.next(TAG.sequence, 'issuer').bytes;
  const serialNumber = readInteger(fields.any('serialNumber'), 'sid.serialNumber');
  fields.end();
  return { kind: 'issuer-serial', issuerDer, serialNumber };
}

function readAttributes(node: DerNode): Map<string, DerNode[]> {
  const out = new Map<string, DerNode[]>();
  for (const attribute of children(node, 'signedAttrs')) {
    const fields = new Fields(attribute, 'attribute');
    const oid = readOid(fields.any('attrType'), 'attrType');
    const values = children(fields.next(TAG.set, 'attrValues'), 'attrValues');
    fields.end();
    out.set(oid, [...(out.get(oid) ?? []), ...values]);
  }
  return out;
}
