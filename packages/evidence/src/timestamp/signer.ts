/**
 * Finds the signer of a token and checks that the signature binds them to it. RFC 5652 §5.3–5.6, RFC 5035,
 * RFC 5816.
 */
import { equalBytes, toHex } from '../bytes.ts';
import { type Certificate, KEY_USAGE } from './certificate.ts';
import { children, context, type DerNode, expectTag, Fields, readInteger, readOid, TAG } from './der.ts';
import { describeOid, HASHES, type HashAlgorithm, hashByOid, OID } from './oids.ts';
import type { SignedData, SignerInfo } from './parse.ts';
import type { TimeStampPolicy } from './policy.ts';
import type { Finding } from './report.ts';
import { readAlgorithm, type SignatureAlgorithm, verifySignature } from './signature.ts';

const good = (detail: string): Finding => ({ ok: true, detail });
const bad = (detail: string): Finding => ({ ok: false, detail });

/** The certificates that the signer identifier names; their position in the set means nothing. */
export function namedBySid({ sid }: SignerInfo, certificates: readonly Certificate[]): Certificate[] {
  return certificates.filter((certificate) => {
    if (sid.kind === 'issuer-serial') {
      return (
        equalBytes(certificate.issuerDer, sid.issuerDer) &&
        equalBytes(certificate.serialNumber, sid.serialNumber)
      );
    }
    const identifier = certificate.extensions.subjectKeyIdentifier;
    return identifier !== undefined && equalBytes(identifier, sid.keyIdentifier);
  });
}

/** The first candidate whose key verifies the signature; undefined if none does. */
export async function whoSigned(
  candidates: readonly Certificate[],
  algorithm: SignatureAlgorithm,
  signed: SignedData,
): Promise<Certificate | undefined> {
  const data = signed.signer.signedBytes ?? signed.content;
  for (const candidate of candidates) {
    if (await verifySignature(candidate.publicKey, algorithm, data, signed.signer.signature)) {
      return candidate;
    }
  }
  return undefined;
}

/**
 * The one value of a signed attribute that must occur once with one value; otherwise the reason why it does
 * not.
 */
function onlyValue(signer: SignerInfo, oid: string, name: string): DerNode | string {
  const values = signer.attributes.get(oid) ?? [];
  const [value] = values;
  return value !== undefined && values.length === 1
    ? value
    : `${name} attribute has ${values.length} values, expected one`;
}

/**
 * RFC 5652 §11.1: the attribute repeats the content type, so that a signature cannot be moved to other
 * content.
 */
export function checkContentTypeAttribute(signer: SignerInfo): Finding {
  const value = onlyValue(signer, OID.contentType, 'content-type');
  if (typeof value === 'string') return bad(value);
  const oid = readOid(value, 'content-type');
  return oid === OID.tstInfo
    ? good('id-ct-TSTInfo')
    : bad(`content-type attribute is ${describeOid(oid)}, expected id-ct-TSTInfo`);
}

/** RFC 5652 §11.2. */
export async function checkMessageDigest(signed: SignedData, digest: HashAlgorithm): Promise<Finding> {
  const value = onlyValue(signed.signer, OID.messageDigest, 'message-digest');
  if (typeof value === 'string') return bad(value);
  const actual = new Uint8Array(await crypto.subtle.digest(digest.webCrypto, signed.content));
  const stated = expectTag(value, TAG.octetString, 'message-digest').content;
  return equalBytes(actual, stated)
    ? good(`${digest.name} of the TSTInfo`)
    : bad('message-digest attribute is not the digest of the TSTInfo');
}

/**
 * ESSCertIDv2, or the older ESSCertID, must name the certificate that verified; if both are present, both
 * must. The SHA-1 in ESSCertID only picks among certificates that a pinned root vouches for. RFC 3161 §2.4.2,
 * RFC 5816 §2.2.1.
 */
export async function checkEssBinding(signer: SignerInfo, certificate: Certificate): Promise<Finding> {
  const attributes = [OID.signingCertificateV2, OID.signingCertificate].filter((oid) =>
    signer.attributes.has(oid),
  );
  if (attributes.length === 0) return bad('neither SigningCertificateV2 nor SigningCertificate attribute');
  const names: string[] = [];
  for (const oid of attributes) {
    const name = oid === OID.signingCertificateV2 ? 'ESSCertIDv2' : 'ESSCertID';
    const value = onlyValue(signer, oid, name);
    const reason =
      typeof value === 'string'
        ? value
        : await essMismatch(value, certificate, oid === OID.signingCertificateV2);
    if (reason !== null) return bad(`${name}: ${reason}`);
    names.push(name);
  }
  return good(`${names.join(' and ')} names the certificate that verified`);
}

/**
 * The first certificate identifier is the signer's; later ones limit the chain and are optional. RFC 5035 §3,
 * §5.
 */
async function essMismatch(value: DerNode, certificate: Certificate, v2: boolean): Promise<string | null> {
  const what = v2 ? 'SigningCertificateV2' : 'SigningCertificate';
  const [first] = children(new Fields(value, what).next(TAG.sequence, 'certs'), what);
  if (first === undefined) return 'names no certificate';
  const fields = new Fields(first, what);
  const algorithm = v2 ? fields.optional(TAG.sequence) : undefined;
  const stated = fields.next(TAG.octetString, 'certHash').content;
  const issuerSerial = fields.optional(TAG.sequence);
  fields.end();
  const oid = algorithm === undefined ? HASHES[0]!.oid : readAlgorithm(algorithm, what).oid;
  const hash = v2 ? hashByOid(oid)?.webCrypto : 'SHA-1';
  if (hash === undefined) return `hash algorithm ${describeOid(oid)}`;
  const actual = new Uint8Array(await crypto.subtle.digest(hash, certificate.der));
  if (!equalBytes(actual, stated)) {
    return `certificate hash is ${toHex(stated)}, the signer's is ${toHex(actual)}`;
  }
  return issuerSerial === undefined || sameIssuerSerial(issuerSerial, certificate, what)
    ? null
    : 'names another issuer or serial number';
}

/** IssuerSerial with one directoryName. RFC 5035 §4, §6. */
function sameIssuerSerial(node: DerNode, certificate: Certificate, what: string): boolean {
  const fields = new Fields(node, what);
  const [name, ...more] = children(fields.next(TAG.sequence, 'issuer'), what);
  const serial = readInteger(fields.any('serialNumber'), what);
  fields.end();
  if (name === undefined || more.length > 0 || name.tag !== context(4)) return false;
  return equalBytes(name.content, certificate.issuerDer) && equalBytes(serial, certificate.serialNumber);
}

/**
 * rfc3161: timeStamping alone and critical (RFC 3161 §2.3). nom151: only what the authority's manifest lists.
 */
export function checkExtendedKeyUsage(certificate: Certificate, policy: TimeStampPolicy): Finding {
  const usage = certificate.extensions.extKeyUsage;
  if (usage === undefined || usage.oids.length === 0) return bad('the signer has no extended key usage');
  const listed = usage.oids.map(describeOid).join(', ');
  if (policy.profile === 'nom151' && policy.leafEku !== undefined && policy.leafEku.length > 0) {
    const foreign = usage.oids.filter((oid) => !policy.leafEku!.includes(oid));
    return foreign.length === 0
      ? good(`${listed}, as ${policy.name}'s manifest allows`)
      : bad(`${foreign.map(describeOid).join(', ')} is not in ${policy.name}'s manifest`);
  }
  if (usage.oids.length !== 1 || usage.oids[0] !== OID.timeStamping) {
    return bad(`${listed}, expected timeStamping alone`);
  }
  return usage.critical ? good('timeStamping alone, critical') : bad('timeStamping is not marked critical');
}

/** A signer's key must be for signatures and not for certificates. RFC 5280 §4.2.1.3. */
export function checkKeyUsage(certificate: Certificate): Finding {
  const usage = certificate.extensions.keyUsage;
  if (usage === undefined) return good('not limited');
  if (usage.has(KEY_USAGE.keyCertSign)) return bad("the signer's key also signs certificates");
  const signs = usage.has(KEY_USAGE.digitalSignature) || usage.has(KEY_USAGE.nonRepudiation);
  return signs ? good('signatures') : bad("the signer's key is not for signatures");
}
