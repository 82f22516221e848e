/** Previews: what was shown is what can be sent, by the key that it was shown to, for ten minutes. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** How long a preview can be sent. */
export const PREVIEW_MS = 600_000;
/** How long a person has to approve it in the portal: docs/limits.md. */
export const APPROVAL_MS = 24 * 60 * 60 * 1000;
const TOKEN = /^pv1\.([0-9a-z]{1,12})\.([\w-]{43})$/;

/** SHA-256 of a value as JSON with sorted names, hex. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('hex');
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((each) => canonical(each ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`).join(',')}}`;
}

/** The content of a token. */
export interface Previewed {
  /** Of the API key. */
  readonly keyId: string;
  /** Of the submission and what its template rendered. */
  readonly digest: string;
}

export function mintToken(secret: Uint8Array, previewed: Previewed, nowMs: number): string {
  const ends = (nowMs + PREVIEW_MS).toString(36);
  return `pv1.${ends}.${mac(secret, previewed, ends).toString('base64url')}`;
}

/** expired: it was a preview of this message. changed: it is of another message, key or server. */
export function checkToken(
  secret: Uint8Array,
  token: string,
  previewed: Previewed,
  nowMs: number,
  /** How long after its end it still is one. */
  graceMs = 0,
): 'ok' | 'expired' | 'changed' {
  const [, ends, given] = TOKEN.exec(token) ?? [];
  if (ends === undefined || given === undefined) return 'changed';
  const expected = mac(secret, previewed, ends);
  const bytes = Buffer.from(given, 'base64url');
  if (bytes.length !== expected.length || !timingSafeEqual(bytes, expected)) return 'changed';
  return Number.parseInt(ends, 36) + graceMs > nowMs ? 'ok' : 'expired';
}

/** The same for each call with one preview: a repeated call is a replay, and sends nothing. */
export function idempotencyKeyOf(token: string): string {
  return `mcp_${createHash('sha256').update(token).digest('hex').slice(0, 40)}`;
}

function mac(secret: Uint8Array, { keyId, digest }: Previewed, ends: string): Buffer {
  return createHmac('sha256', secret).update(`acuse-mcp/preview/v1\n${keyId}\n${ends}\n${digest}`).digest();
}
