import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { apiError } from '../../errors.ts';
import { holdersOf } from '../../platform/network/network.ts';
import { createTurns } from '../../platform/turns.ts';

/**
 * Passwords of people, at rest as PHC strings: `$scrypt$ln=17,r=8,p=1$<salt>$<hash>`. The string names its
 * algorithm, so that another can follow at a later sign-in.
 */
export interface Passwords {
  /** Throws unavailable when too many wait, ClientGone. */
  hash(password: string, asker: Asker): Promise<string>;
  /** Null for `stored` (nobody, or nobody with a password) costs the same as a wrong password. */
  fits(password: string, stored: string | null, asker: Asker): Promise<boolean>;
}

/** The caller of a hash: callers share the work fairly. */
export interface Asker {
  readonly address: string;
  /** Has a session or a link, or comes from a network from which this person signed in lately. */
  readonly known: boolean;
  /** Aborted once nobody waits for the answer. */
  readonly gone: AbortSignal;
}

/** OWASP Password Storage Cheat Sheet: 128 MiB and some 0.7 s for each hash. */
const COST_LOG2 = 17;
const BLOCK_SIZE = 8;
const PARALLEL = 1;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Limits of a stored hash's parameters: a planted one must not take all memory. */
const COST_LOG2_MAX = 20;
const BLOCK_SIZE_MAX = 16;
const PARALLEL_MAX = 4;

/** Hashes at work at once: each takes a thread of libuv's four and 128 MiB. */
const RUNNING_MAX = 2;
/** Places that unknown askers may use, so that a known one finds one free or waits for another known one. */
const RUNNING_UNKNOWN_MAX = 1;
/** Hashes that wait for their turn. */
export const HASHES_WAITING_MAX = 48;
const RETRY_SECONDS = 5;

/** Parameters of scrypt: N as its logarithm, r and p of RFC 7914 §2. */
export interface PasswordCost {
  readonly costLog2: number;
  readonly blockSize: number;
  readonly parallel: number;
}

const CURRENT: PasswordCost = { costLog2: COST_LOG2, blockSize: BLOCK_SIZE, parallel: PARALLEL };

/** `cost`: for new hashes; no setting lowers it. */
export function createPasswords(cost: PasswordCost = CURRENT): Passwords {
  const turns = createTurns({
    ...{ atOnce: RUNNING_MAX, unknownAtOnce: RUNNING_UNKNOWN_MAX, waitingMax: HASHES_WAITING_MAX },
    tooMany,
  });
  const inTurn = <T>({ address, known, gone }: Asker, work: () => Promise<T>) =>
    turns({ holders: holdersOf(address), known, gone }, work);
  /** Compared if somebody has no password. No known password has this hash. */
  const nobodys = { ...cost, salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES) };
  return {
    async hash(password, asker) {
      const salt = randomBytes(SALT_BYTES);
      const hash = await inTurn(asker, () => derive(password, salt, HASH_BYTES, cost));
      return `$scrypt$ln=${cost.costLog2},r=${cost.blockSize},p=${cost.parallel}$${unpadded(salt)}$${unpadded(hash)}`;
    },
    async fits(password, stored, asker) {
      const known = stored === null ? nobodys : parsePhc(stored);
      const hash = await inTurn(asker, () => derive(password, known.salt, known.hash.length, known));
      return timingSafeEqual(hash, known.hash) && stored !== null;
    },
  };
}

function tooMany(): Error {
  return apiError(
    'unavailable',
    'Too many people are signing in at once: retry after the seconds in Retry-After.',
    { retryAfterSeconds: RETRY_SECONDS },
  );
}

/** Unicode composed, so that both spellings of é, from any keyboard, are one password. */
function derive(
  password: string,
  salt: Uint8Array,
  sizeBytes: number,
  { costLog2, blockSize, parallel }: PasswordCost,
): Promise<Buffer> {
  const cost = 2 ** costLog2;
  // 128 × N × r bytes (RFC 7914 §2), and as much again: Node refuses what comes too near its bound.
  const options: ScryptOptions = { N: cost, r: blockSize, p: parallel, maxmem: 256 * cost * blockSize };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, sizeBytes, options, (error, hash) =>
      error === null ? resolve(hash) : reject(error),
    );
  });
}

const PHC =
  /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{16,64})\$([A-Za-z0-9+/]{32,128})$/;

/** Throws for what this code did not write. */
function parsePhc(stored: string): PasswordCost & { salt: Buffer; hash: Buffer } {
  const found = PHC.exec(stored);
  if (found === null) throw new Error('a stored password is not a PHC string of scrypt');
  const [costLog2, blockSize, parallel] = [Number(found[1]), Number(found[2]), Number(found[3])];
  if (costLog2 > COST_LOG2_MAX || blockSize > BLOCK_SIZE_MAX || parallel > PARALLEL_MAX)
    throw new Error('a stored password asks for more work than is allowed');
  return {
    costLog2,
    blockSize,
    parallel,
    salt: Buffer.from(found[4]!, 'base64'),
    hash: Buffer.from(found[5]!, 'base64'),
  };
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}
