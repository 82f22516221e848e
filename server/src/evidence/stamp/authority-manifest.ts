import { EvidenceError } from '@acuse/evidence/errors';
import type { Json } from '@acuse/evidence/jcs';
import {
  type JsonObject,
  readArray,
  readInteger,
  readObject,
  readOneOf,
  readString,
} from '@acuse/evidence/read-json';
import { certificatesFromPem, readCertificate } from '@acuse/evidence/timestamp/certificate';
import { DerError } from '@acuse/evidence/timestamp/der';
import { readTimeStampPolicy } from '@acuse/evidence/timestamp/manifest';
import type { TimeStampPolicy } from '@acuse/evidence/timestamp/policy';
import type { JsonHashShape } from './json-hash.ts';

/**
 * An operator's JSON file about an authority: docs/operating.md. Secrets are only named, as variables; files
 * are relative to it. Pure.
 */
export interface AuthorityManifest {
  readonly policy: TimeStampPolicy;
  readonly intermediates: readonly Uint8Array[];
  readonly service: {
    readonly url: string;
    readonly timeoutMs: number | undefined;
    /** Null: RFC 3161 §3.4 over HTTP. */
    readonly json: JsonHashShape | null;
    readonly auth: ManifestAuth;
    readonly clientCertificate: ClientCertificate | null;
    /** Roots (PEM) for its TLS certificate, instead of the system's. */
    readonly caFile: string | null;
  };
  readonly priceMicros: number;
}

type ManifestAuth =
  | { readonly kind: 'none' }
  | { readonly kind: 'basic'; readonly usernameEnv: string; readonly passwordEnv: string }
  | { readonly kind: 'bearer'; readonly tokenEnv: string };

interface ClientCertificate {
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly passphraseEnv: string | null;
}

const CHECK = 'manifest';
const MAX_FILES = 16;
const MAX_CONSTANTS = 32;
const MIN_TIMEOUT_MS = 100;
/** A lease must outlast all authorities in turn (ms). */
const MAX_TIMEOUT_MS = 60_000;
const MICROS_PER_CENT = 1_000_000;
const MAX_PRICE_CENTS = 1_000_000;
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const FIELD_NAME = /^[^\p{Cc}.]{1,100}$/u;
const FILE_NAME = /^\P{Cc}{1,1000}$/u;
const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/** `textOf`: a named file's content. Throws EvidenceError that names the field. */
export function readAuthorityManifest(value: unknown, textOf: (file: string) => string): AuthorityManifest {
  const root = readObject(
    value as Json,
    CHECK,
    ['policy', 'service'],
    ['root_files', 'intermediates', 'price_cents'],
  );
  return {
    policy: readPolicy(root['policy'], list(root['root_files'], 'root_files'), textOf),
    intermediates: list(root['intermediates'], 'intermediates').flatMap(readPem),
    service: readService(root['service']),
    priceMicros: readPrice(root['price_cents']),
  };
}

/** Roots inline, or in PEM files. */
function readPolicy(
  value: Json | undefined,
  rootFiles: readonly Json[],
  textOf: (file: string) => string,
): TimeStampPolicy {
  if (rootFiles.length === 0) return readTimeStampPolicy(value);
  const given = value as JsonObject | null | undefined;
  const files = rootFiles.map((file) => textOf(readString(file, CHECK, 'root_files', FILE_NAME)));
  return readTimeStampPolicy({ ...given, roots: [...list(given?.['roots'], 'policy.roots'), ...files] });
}

function readService(value: Json | undefined): AuthorityManifest['service'] {
  const service = readObject(
    value,
    CHECK,
    ['protocol', 'url'],
    ['timeout_ms', 'auth', 'client_certificate', 'ca_file', 'json'],
  );
  const protocol = readOneOf(service['protocol'], CHECK, 'protocol', ['rfc3161', 'json-hash']);
  if ((protocol === 'json-hash') !== Object.hasOwn(service, 'json'))
    throw new EvidenceError(
      CHECK,
      'json says where the hash and the token stand: for json-hash, and only then',
    );
  const auth = readAuth(service['auth']);
  return {
    url: readUrl(service['url'], auth),
    timeoutMs: readTimeout(service['timeout_ms']),
    json: protocol === 'json-hash' ? readShape(service['json']) : null,
    auth,
    clientCertificate: readClientCertificate(service['client_certificate']),
    caFile:
      service['ca_file'] === undefined ? null : readString(service['ca_file'], CHECK, 'ca_file', FILE_NAME),
  };
}

function readUrl(value: Json | undefined, auth: ManifestAuth): string {
  const text = readString(value, CHECK, 'url');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (
    url === undefined ||
    !['http:', 'https:'].includes(url.protocol) ||
    url.username !== '' ||
    url.hash !== ''
  )
    throw new EvidenceError(CHECK, 'url is not an http or https URL without credentials and fragment');
  // Signed answers are safe over http; passwords are not.
  if (url.protocol === 'http:' && auth.kind !== 'none' && !LOOPBACK_HOSTS.includes(url.hostname))
    throw new EvidenceError(CHECK, 'url must be https where a password or token is sent');
  return url.href;
}

function readAuth(value: Json | undefined): ManifestAuth {
  if (value === undefined) return { kind: 'none' };
  const fields = ['username_env', 'password_env', 'token_env'];
  const auth = readObject(value, CHECK, ['kind'], fields);
  const kind = readOneOf(auth['kind'], CHECK, 'auth.kind', ['none', 'basic', 'bearer']);
  const wanted = { none: [], basic: ['username_env', 'password_env'], bearer: ['token_env'] }[kind];
  readObject(value, CHECK, ['kind', ...wanted]);
  const name = (field: string) => readString(auth[field], CHECK, `auth.${field}`, VARIABLE_NAME);
  if (kind === 'basic') return { kind, usernameEnv: name('username_env'), passwordEnv: name('password_env') };
  return kind === 'bearer' ? { kind, tokenEnv: name('token_env') } : { kind };
}

function readClientCertificate(value: Json | undefined): ClientCertificate | null {
  if (value === undefined) return null;
  const given = readObject(value, CHECK, ['certificate_file', 'key_file'], ['passphrase_env']);
  const file = (field: string) => readString(given[field], CHECK, `client_certificate.${field}`, FILE_NAME);
  const passphrase = given['passphrase_env'];
  return {
    certificateFile: file('certificate_file'),
    keyFile: file('key_file'),
    passphraseEnv:
      passphrase === undefined ? null : readString(passphrase, CHECK, 'passphrase_env', VARIABLE_NAME),
  };
}

function readShape(value: Json | undefined): JsonHashShape {
  const shape = readObject(
    value,
    CHECK,
    ['hash_field', 'token_field'],
    ['hash_encoding', 'constants', 'document_field'],
  );
  const constants = shape['constants'] === undefined ? {} : shape['constants'];
  if (typeof constants !== 'object' || constants === null || Array.isArray(constants))
    throw new EvidenceError(CHECK, 'json.constants is not an object');
  const entries = Object.entries(constants as JsonObject);
  if (entries.length > MAX_CONSTANTS || entries.some(([, each]) => typeof each === 'object'))
    throw new EvidenceError(CHECK, `json.constants holds anything but at most ${MAX_CONSTANTS} plain values`);
  return {
    hashField: readString(shape['hash_field'], CHECK, 'json.hash_field', FIELD_NAME),
    hashEncoding: readOneOf(shape['hash_encoding'] ?? 'hex', CHECK, 'json.hash_encoding', ['hex', 'base64']),
    constants: Object.fromEntries(entries) as JsonHashShape['constants'],
    tokenPath: readPath(shape['token_field'], 'json.token_field'),
    ...(shape['document_field'] !== undefined && {
      documentPath: readPath(shape['document_field'], 'json.document_field'),
    }),
  };
}

function readPath(value: Json | undefined, name: string): string[] {
  return readString(value, CHECK, name)
    .split('.')
    .map((field) => readString(field, CHECK, name, FIELD_NAME));
}

function readTimeout(value: Json | undefined): number | undefined {
  if (value === undefined) return undefined;
  const timeoutMs = readInteger(value, CHECK, 'timeout_ms');
  if (timeoutMs < MIN_TIMEOUT_MS || timeoutMs > MAX_TIMEOUT_MS)
    throw new EvidenceError(CHECK, `timeout_ms is not from ${MIN_TIMEOUT_MS} to ${MAX_TIMEOUT_MS}`);
  return timeoutMs;
}

function readPrice(value: Json | undefined): number {
  if (value === undefined) return 0;
  if (typeof value !== 'number' || !(value >= 0 && value <= MAX_PRICE_CENTS))
    throw new EvidenceError(CHECK, `price_cents is not from 0 to ${MAX_PRICE_CENTS}`);
  return Math.round(value * MICROS_PER_CENT);
}

function list(value: Json | undefined, name: string): readonly Json[] {
  return value === undefined ? [] : readArray(value, CHECK, name, MAX_FILES);
}

function readPem(value: Json): Uint8Array[] {
  try {
    const certificates = certificatesFromPem(readString(value, CHECK, 'intermediates'));
    for (const certificate of certificates) readCertificate(certificate);
    if (certificates.length > 0) return certificates;
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
  }
  throw new EvidenceError(CHECK, 'intermediates holds something that is not a PEM certificate');
}
