import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { apiError } from '../errors.ts';

/**
 * Passwords of people, at rest as PHC strings: `$scrypt$ln=17,r=8,p=1$<salt>$<hash>`. The string names its
 * algorithm, so that another can follow at a later sign-in.
 */
export interface Passwords {
  /** Throws unavailable when too many wait. */
  hash(password: string): Promise<string>;
  /** Null for `stored` (nobody, or nobody with a password) costs the same as a wrong password. */
  fits(password: string, stored: string | null): Promise<boolean>;
}

/** OWASP Password Storage Cheat Sheet: 128 MiB and some 0.7 s for each hash. */
const COST_LOG2 = 17;
const BLOCK_SIZE = 8;
const PARALLEL = 1;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** What a stored string may ask for: one that somebody planted must not take all memory. */
const COST_LOG2_MAX = 20;
const BLOCK_SIZE_MAX = 16;
const PARALLEL_MAX = 4;

/** Hashes at work at once: each takes a thread of libuv's four and 128 MiB. */
const RUNNING_MAX = 2;
/** Hashes that wait for their turn; with two at work the last waits some 7 s. */
const WAITING_MAX = 20;
const RETRY_SECONDS = 5;

/** What scrypt is asked for: N as its logarithm, r and p of RFC 7914 §2. */
export interface PasswordCost {
  readonly costLog2: number;
  readonly blockSize: number;
  readonly parallel: number;
}

const CURRENT: PasswordCost = { costLog2: COST_LOG2, blockSize: BLOCK_SIZE, parallel: PARALLEL };

/** `cost` is of what is hashed from now on; no setting lowers it. */
export function createPasswords(cost: PasswordCost = CURRENT): Passwords {
  const inTurn = createGate();
  /** Compared against where there is no password: never fits, because nothing is known that has it. */
  const nobodys = { ...cost, salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES) };
  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES);
      const hash = await inTurn(() => derive(password, salt, HASH_BYTES, cost));
      return `$scrypt$ln=${cost.costLog2},r=${cost.blockSize},p=${cost.parallel}$${unpadded(salt)}$${unpadded(hash)}`;
    },
    async fits(password, stored) {
      const known = stored === null ? nobodys : parsePhc(stored);
      const hash = await inTurn(() => derive(password, known.salt, known.hash.length, known));
      return timingSafeEqual(hash, known.hash) && stored !== null;
    },
  };
}

type Gate = <T>(work: () => Promise<T>) => Promise<T>;

function createGate(): Gate {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= RUNNING_MAX) {
      if (waiting.length >= WAITING_MAX)
        throw apiError(
          'unavailable',
          'Too many people are signing in at once: retry after the seconds in Retry-After.',
          { retryAfterSeconds: RETRY_SECONDS },
        );
      // The place of the one that ended is handed on: nobody can come between.
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}

/** The password as it is typed on any keyboard: composed, so that two spellings of é are one. */
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
