import type { VerifiedStamp } from './authorities.ts';

/** A verified stamp's columns, whatever it stamps. Pure. */
export interface StampColumns {
  readonly profile: 'nom151' | 'rfc3161' | 'development';
  readonly issuer: string;
  readonly policyOid: string;
  readonly serialNumber: string;
  readonly genTime: Date;
  readonly hashAlgorithm: string;
  readonly imprint: Uint8Array;
  readonly token: Uint8Array;
  /** DER, signer first, pinned root last. */
  readonly chain: readonly Uint8Array[];
  readonly policy: unknown;
  /** SHA-256 of each piece. */
  readonly revocation: readonly Uint8Array[];
}

export function stampColumns({ facts, policy, token, imprint, revocation }: VerifiedStamp): StampColumns {
  return {
    profile: facts.development ? 'development' : facts.profile,
    issuer: facts.issuer,
    policyOid: facts.policyOid,
    serialNumber: facts.serialNumber,
    genTime: new Date(facts.genTime),
    hashAlgorithm: facts.hashAlgorithm,
    imprint,
    token,
    chain: facts.certificates,
    policy,
    revocation: revocation.map(({ sha256 }) => sha256),
  };
}

const NAMES = [
  'profile',
  'issuer',
  'policy_oid',
  'serial_number',
  'gen_time',
  'hash_algorithm',
  'imprint',
  'token',
  'chain',
  'policy',
  'revocation',
] as const;

/** For statements: names, place holders from `$first`, values, and StampColumns' names. */
export const STAMP_COLUMNS = NAMES.join(', ');

export function stampParameters(first: number): string {
  return NAMES.map((_, at) => `$${first + at}`).join(', ');
}

export function stampValues(stamp: StampColumns): unknown[] {
  return [
    stamp.profile,
    stamp.issuer,
    stamp.policyOid,
    stamp.serialNumber,
    stamp.genTime.toISOString(),
    stamp.hashAlgorithm,
    stamp.imprint,
    stamp.token,
    stamp.chain.map(asBuffer),
    JSON.stringify(stamp.policy),
    stamp.revocation.map(asBuffer),
  ];
}

/** In arrays the driver accepts only Buffer. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function selectStamp(of: string): string {
  const camel = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return NAMES.map((name) => `${of}.${name} as "${camel(name)}"`).join(', ');
}
