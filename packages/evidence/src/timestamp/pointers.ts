/**
 * Where a certificate says that its status can be found. One that cannot be read points nowhere: this is a
 * hint, and decides nothing.
 */
import { decodeAscii } from '../bytes.ts';
import type { Certificate } from './certificate.ts';
import { type Bytes, children, context, DerError, type DerNode, Fields, readOid, readWhole } from './der.ts';
import { OID } from './oids.ts';

/** URLs of one kind taken from one certificate; authorities name one or two. */
const MAX_POINTERS = 4;
const MAX_URL_BYTES = 2048;

export type RevocationPointers = { crl: readonly string[]; ocsp: readonly string[] };

export function revocationPointers({ extensions }: Certificate): RevocationPointers {
  return {
    crl: read(extensions.crlDistributionPoints, distributionPoint),
    ocsp: read(extensions.authorityInfoAccess, ocspLocation),
  };
}

function read(extension: Bytes | undefined, one: (node: DerNode) => string[]): string[] {
  if (extension === undefined) return [];
  try {
    const nodes = children(readWhole(extension, 'pointers'), 'pointers');
    return [...new Set(nodes.flatMap(one))].slice(0, MAX_POINTERS);
  } catch (error) {
    if (error instanceof DerError) return [];
    throw error;
  }
}

/**
 * The full names of a distribution point; those relative to an issuer are nobody's practice. RFC 5280
 * §4.2.1.13
 */
function distributionPoint(node: DerNode): string[] {
  const [name] = children(node, 'DistributionPoint');
  if (name?.tag !== context(0)) return [];
  const [fullName] = children(name, 'distributionPoint');
  return fullName?.tag === context(0) ? children(fullName, 'fullName').flatMap(url) : [];
}

function ocspLocation(node: DerNode): string[] {
  const fields = new Fields(node, 'AccessDescription');
  const method = readOid(fields.any('accessMethod'), 'accessMethod');
  const location = fields.any('accessLocation');
  return method === OID.ocsp ? url(location) : [];
}

/** uniformResourceIdentifier [6]. */
function url({ tag, content }: DerNode): string[] {
  if (tag !== context(6, false) || content.length > MAX_URL_BYTES) return [];
  const text = decodeAscii(content);
  return text !== undefined && /^https?:\/\//i.test(text) && URL.canParse(text) ? [text] : [];
}
