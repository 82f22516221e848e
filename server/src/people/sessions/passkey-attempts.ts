import { hash } from 'node:crypto';
import { apiError } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { randomSecret } from '../../platform/random.ts';
import { SealedSecretError, type SecretBox } from '../../platform/secrets.ts';

/**
 * The challenge for a passkey, and its attempt. Nothing is stored before it is answered: the attempt is the
 * challenge itself, sealed for what it was made for, and comes back with the answer. So anybody may begin to
 * sign in as often as they like without filling a table.
 */
export interface Attempt {
  /** 256 random bits. */
  readonly challenge: Buffer;
  /** For the page that asked: the challenge and its end, sealed. */
  readonly attempt: string;
}

export interface OpenedAttempt {
  /** As a browser writes it into what it has signed. */
  readonly challenge: string;
  /** The key under which a challenge is spent. */
  readonly sha256: Buffer;
  readonly expiresAt: Date;
}

/** As long as browsers leave their question open, and time to find the device (ms). */
const ATTEMPT_MS = 5 * 60 * 1000;

const CHALLENGE_BYTES = 32;
const TIME_BYTES = 8;

interface Deps {
  readonly secrets: SecretBox;
  readonly clock: Clock;
}

/** `purpose`: what it is made for, and in which session: opens with the same one alone. */
export function newAttempt({ secrets, clock }: Deps, purpose: string): Attempt {
  const challenge = Buffer.from(randomSecret(CHALLENGE_BYTES));
  const time = Buffer.alloc(TIME_BYTES);
  time.writeBigUInt64BE(BigInt(clock.now().getTime() + ATTEMPT_MS));
  const sealed = secrets.seal(Buffer.concat([time, challenge]), contextOf(purpose));
  return { challenge, attempt: sealed.toString('base64url') };
}

/** Throws conflict for one that is over, or was made for something else. */
export function openAttempt({ secrets, clock }: Deps, attempt: string, purpose: string): OpenedAttempt {
  const plain = opened(secrets, Buffer.from(attempt, 'base64url'), contextOf(purpose));
  const expiresAt = new Date(plain === null ? 0 : Number(plain.readBigUInt64BE()));
  if (plain === null || expiresAt <= clock.now()) throw attemptOver();
  const challenge = plain.subarray(TIME_BYTES);
  return {
    challenge: challenge.toString('base64url'),
    sha256: hash('sha256', challenge, 'buffer'),
    expiresAt,
  };
}

export function attemptOver() {
  return apiError(
    'conflict',
    'This attempt has expired, was answered already or belongs to another session: ask for new options.',
  );
}

function opened(secrets: SecretBox, sealed: Buffer, context: string): Buffer | null {
  try {
    return secrets.open(sealed, context);
  } catch (error) {
    if (error instanceof SealedSecretError) return null;
    throw error;
  }
}

function contextOf(purpose: string): string {
  return `passkey-attempt:${purpose}`;
}
