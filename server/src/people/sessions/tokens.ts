import { hash } from 'node:crypto';
import { randomSecret } from '../../platform/random.ts';

/** Secrets that only their holder has, for sessions and one-time links. Only their SHA-256 is stored. */
export interface Token {
  /** 256 random bits in 43 characters of base64url (RFC 4648 §5). */
  readonly token: string;
  readonly sha256: Buffer;
}

const TOKEN_BYTES = 32;
const SHAPE = /^[A-Za-z0-9_-]{43}$/;

export function newToken(): Token {
  const token = Buffer.from(randomSecret(TOKEN_BYTES)).toString('base64url');
  return { token, sha256: hash('sha256', token, 'buffer') };
}

/** The key of a presented token; null: not a token. */
export function tokenSha256(presented: string): Buffer | null {
  return SHAPE.test(presented) ? hash('sha256', presented, 'buffer') : null;
}
