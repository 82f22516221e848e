import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/**
 * A software authenticator: makes and shows passkeys as browsers and devices do, with keys of its own and
 * real signatures (W3C WebAuthn 3 §6). What an honest one never does can be asked for, answer by answer.
 */
export interface Authenticator {
  /** `PublicKeyCredential.toJSON()` of navigator.credentials.create() on a page of `origin`. */
  create(options: CreationOptions, origin: string, instead?: Instead): RegistrationJson;
  /** Answers navigator.credentials.get() with the newest passkey, or with the one of this id. */
  get(options: RequestOptions, origin: string, instead?: Instead & { id?: string }): AssertionJson;
}

export type Algorithm = 'ES256' | 'EdDSA' | 'RS256';

interface CreationOptions {
  readonly challenge: string;
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
}

interface RequestOptions {
  readonly challenge: string;
  readonly rpId: string;
}

/** False values in place of the true ones. */
export interface Instead {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly type?: string;
  readonly crossOrigin?: boolean;
  readonly userVerified?: boolean;
  readonly userPresent?: boolean;
  readonly signCount?: number;
  /** Null: does not say whose it is. */
  readonly userHandle?: string | null;
  /** A statement with a format of its own. */
  readonly attestation?: { readonly fmt: string; readonly statement: ReadonlyMap<string, Cbor> };
  /** Another id than the one that was made. */
  readonly credentialId?: Uint8Array;
  readonly publicKey?: Uint8Array;
}

export interface RegistrationJson {
  id: string;
  rawId: string;
  type: 'public-key';
  authenticatorAttachment: string;
  clientExtensionResults: Record<string, unknown>;
  response: { clientDataJSON: string; attestationObject: string; transports: string[] };
}

export interface AssertionJson {
  id: string;
  rawId: string;
  type: 'public-key';
  authenticatorAttachment: string;
  clientExtensionResults: Record<string, unknown>;
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string };
}

/** Types that are encoded as CBOR here. */
export type Cbor = number | string | Uint8Array | readonly Cbor[] | ReadonlyMap<number | string, Cbor>;

interface Kept {
  readonly id: string;
  readonly key: KeyObject;
  readonly rpId: string;
  readonly userHandle: string;
  signCount: number;
}

export interface AuthenticatorOptions {
  readonly algorithm?: Algorithm;
  /** False: its counter stays 0, as that of passkeys which are synced. */
  readonly counts?: boolean;
}

export function createAuthenticator({
  algorithm = 'ES256',
  counts = true,
}: AuthenticatorOptions = {}): Authenticator {
  const kept: Kept[] = [];

  return {
    create({ challenge, rp, user }, origin, instead = {}) {
      const { privateKey, publicKey } = newKey(algorithm);
      const id = Buffer.from(instead.credentialId ?? randomBytes(32));
      const made: Kept = {
        id: id.toString('base64url'),
        key: privateKey,
        rpId: rp.id,
        userHandle: user.id,
        signCount: 0,
      };
      kept.push(made);
      const coseKey = instead.publicKey ?? encode(coseOf(publicKey, algorithm));
      const data = Buffer.concat([
        authenticatorData(made, FLAGS.attested, instead),
        Buffer.alloc(16),
        Buffer.of(id.length >> 8, id.length & 0xff),
        id,
        coseKey,
      ]);
      const { fmt, statement } = instead.attestation ?? { fmt: 'none', statement: new Map() };
      const attestation = new Map<string, Cbor>([
        ['fmt', fmt],
        ['attStmt', statement],
        ['authData', data],
      ]);
      return {
        ...credentialOf(made.id),
        response: {
          clientDataJSON: clientData('webauthn.create', { challenge, origin, ...given(instead) }),
          attestationObject: encode(attestation).toString('base64url'),
          transports: ['internal', 'hybrid', 'of-a-later-age'],
        },
      };
    },

    get({ challenge, rpId }, origin, instead = {}) {
      const used = instead.id === undefined ? kept.at(-1) : kept.find(({ id }) => id === instead.id);
      if (used === undefined) throw new Error('this authenticator has no such passkey');
      if (counts) used.signCount++;
      const data = authenticatorData({ ...used, rpId }, 0, instead);
      const clientDataJSON = clientData('webauthn.get', { challenge, origin, ...given(instead) });
      const signed = Buffer.concat([data, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
      const userHandle = instead.userHandle === undefined ? used.userHandle : instead.userHandle;
      return {
        ...credentialOf(used.id),
        response: {
          clientDataJSON,
          authenticatorData: data.toString('base64url'),
          signature: sign(algorithm === 'EdDSA' ? null : 'sha256', signed, used.key).toString('base64url'),
          ...(userHandle !== null && { userHandle }),
        },
      };
    },
  };
}

/** Bits of authenticator data. W3C WebAuthn 3 §6.1 */
const FLAGS = { userPresent: 1, userVerified: 4, attested: 64 };

function authenticatorData(kept: Kept, flags: number, instead: Instead): Buffer {
  const { userPresent = true, userVerified = true, signCount = kept.signCount, rpId = kept.rpId } = instead;
  const count = Buffer.alloc(4);
  count.writeUInt32BE(signCount);
  const present = (userPresent ? FLAGS.userPresent : 0) | (userVerified ? FLAGS.userVerified : 0);
  return Buffer.concat([sha256(rpId), Buffer.of(flags | present), count]);
}

function clientData(type: string, facts: Record<string, unknown>): string {
  return Buffer.from(JSON.stringify({ type, crossOrigin: false, ...facts })).toString('base64url');
}

/** False members of client data. */
function given({ origin, challenge, type, crossOrigin }: Instead): Record<string, unknown> {
  const entries = Object.entries({ origin, challenge, type, crossOrigin });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function credentialOf(id: string) {
  return {
    id,
    rawId: id,
    type: 'public-key' as const,
    authenticatorAttachment: 'platform',
    clientExtensionResults: {},
  };
}

function newKey(algorithm: Algorithm) {
  if (algorithm === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519');
  return generateKeyPairSync('rsa', { modulusLength: 2048 });
}

/** As a COSE_Key: its kind, its algorithm, then curve and coordinates, or modulus and exponent. */
function coseOf(key: KeyObject, algorithm: Algorithm): Cbor {
  const jwk = key.export({ format: 'jwk' });
  const bytes = (name: 'x' | 'y' | 'n' | 'e') => Buffer.from(jwk[name]!, 'base64url');
  const pairs: Readonly<Record<Algorithm, [number, Cbor][]>> = {
    ES256: [
      [1, 2],
      [3, -7],
      [-1, 1],
    ],
    EdDSA: [
      [1, 1],
      [3, -8],
      [-1, 6],
    ],
    RS256: [
      [1, 3],
      [3, -257],
    ],
  };
  const known = new Map<number, Cbor>(pairs[algorithm]);
  if (algorithm === 'RS256') return known.set(-1, bytes('n')).set(-2, bytes('e'));
  known.set(-2, bytes('x'));
  return algorithm === 'ES256' ? known.set(-3, bytes('y')) : known;
}

/** CBOR of what is needed here, in its shortest form. */
export function encode(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (value instanceof Map)
    return Buffer.concat([
      head(5, value.size),
      ...[...value].flatMap(([key, each]) => [encode(key), encode(each)]),
    ]);
  const items = value as readonly Cbor[];
  return Buffer.concat([head(4, items.length), ...items.map(encode)]);
}

function head(major: number, size: number): Buffer {
  if (size < 24) return Buffer.of((major << 5) | size);
  if (size < 0x100) return Buffer.of((major << 5) | 24, size);
  return Buffer.of((major << 5) | 25, size >> 8, size & 0xff);
}

function sha256(bytes: string | Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}
