/** Reading a pinned authority (a PSC's manifest) from JSON that an operator or a bundle provides. */
import { EvidenceError } from '../errors.ts';
import type { JsonObject } from '../read-json.ts';
import { readWindow } from '../window.ts';
import { certificatesFromPem, readCertificate } from './certificate.ts';
import { DerError } from './der.ts';
import { encodeOid } from './encode.ts';
import { HASHES } from './oids.ts';
import type { TimeStampPolicy } from './policy.ts';

const MAX_ENTRIES = 32;
/** Characters of an authority's name, and of one PEM text. */
const MAX_NAME = 200;

const FIELDS: readonly string[] = [
  'profile',
  'name',
  'roots',
  'development',
  'leafEku',
  'policies',
  'hashAlgorithms',
  'nonce',
  'revocation',
  'from',
  'until',
];

/**
 * Throws EvidenceError `policy`, naming the field, for anything that is not a complete TimeStampPolicy with
 * readable roots.
 */
export function readTimeStampPolicy(value: unknown): TimeStampPolicy {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) fail('not an object');
  const given = value as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(given).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) fail(`unknown field ${JSON.stringify(unknown)}`);
  const { profile, name } = given;
  if (profile !== 'rfc3161' && profile !== 'nom151') fail('profile is neither "rfc3161" nor "nom151"');
  if (typeof name !== 'string' || name === '' || [...name].length > MAX_NAME || /\p{Cc}/u.test(name)) {
    fail('name is not a short text');
  }
  const roots = strings(given, 'roots', isPem);
  if (roots === undefined || roots.length === 0) fail('roots pins no certificate');
  const isOid = (text: string): boolean => encodeOid(text) !== undefined;
  const leafEku = strings(given, 'leafEku', isOid);
  const policies = strings(given, 'policies', isOid);
  const hashAlgorithms = strings(given, 'hashAlgorithms', (text) =>
    HASHES.some((hash) => hash.name === text),
  );
  const development = flag(given, 'development');
  const nonce = flag(given, 'nonce');
  const { revocation } = given;
  if (revocation !== undefined && revocation !== 'required') fail('revocation is not "required"');
  return {
    profile,
    name,
    roots,
    ...(development !== undefined && { development }),
    ...(leafEku && { leafEku }),
    ...(policies && { policies }),
    ...(hashAlgorithms && { hashAlgorithms }),
    ...(nonce !== undefined && { nonce }),
    ...(revocation !== undefined && { revocation }),
    ...readWindow(given as JsonObject, 'policy'),
  };
}

function fail(reason: string): never {
  throw new EvidenceError('policy', `time-stamp policy: ${reason}`);
}

function strings(
  given: Readonly<Record<string, unknown>>,
  field: string,
  accepts: (text: string) => boolean,
): readonly string[] | undefined {
  const list = given[field];
  if (list === undefined) return undefined;
  if (!Array.isArray(list) || list.length > MAX_ENTRIES) {
    fail(`${field} is not a list of at most ${MAX_ENTRIES}`);
  }
  return list.map((entry: unknown, i) => {
    if (typeof entry !== 'string' || !accepts(entry)) fail(`${field}[${i}] is not acceptable`);
    return entry;
  });
}

function flag(given: Readonly<Record<string, unknown>>, field: string): boolean | undefined {
  const value = given[field];
  if (value !== undefined && typeof value !== 'boolean') fail(`${field} is neither true nor false`);
  return value;
}

function isPem(text: string): boolean {
  try {
    return certificatesFromPem(text).map(readCertificate).length > 0;
  } catch (error) {
    if (error instanceof DerError) return false;
    throw error;
  }
}
