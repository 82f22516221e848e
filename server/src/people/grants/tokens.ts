import { createHmac, timingSafeEqual } from 'node:crypto';
import { SECRET_BYTES } from '../../accounts/api-keys/key.ts';

/**
 * Tokens that only this installation makes: content and a MAC with the installation's secret. So they need no
 * storage, and any other text is invalid. Pure.
 */
type Kind = 'client' | 'code' | 'refresh';

const MAC_BYTES = 32;
const UUID_BYTES = 16;
const GENERATION_BYTES = 4;
/** Longer ones were not made here. */
export const TOKEN_MAX_CHARS = 1_000;
const SHAPE = /^[A-Za-z0-9_-]+$/;

export interface Place {
  readonly tenantId: string;
  readonly apiKeyId: string;
}

export function sealText(secret: Uint8Array, kind: Kind, content: Uint8Array): string {
  return Buffer.concat([content, macOf(secret, kind, content)]).toString('base64url');
}

/** Null: not made here, or of another kind. */
export function openText(secret: Uint8Array, kind: Kind, text: string): Buffer | null {
  if (text.length > TOKEN_MAX_CHARS || !SHAPE.test(text)) return null;
  const bytes = Buffer.from(text, 'base64url');
  // Only one spelling is valid, because tokens are compared as text.
  if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== text) return null;
  const content = bytes.subarray(0, -MAC_BYTES);
  return timingSafeEqual(bytes.subarray(-MAC_BYTES), macOf(secret, kind, content)) ? content : null;
}

export function codeOf(secret: Uint8Array, place: Place): string {
  return sealText(secret, 'code', bytesOf(place));
}

export function placeOfCode(secret: Uint8Array, code: string): Place | null {
  const content = openText(secret, 'code', code);
  return content === null ? null : placeOf(content);
}

export function refreshTokenOf(secret: Uint8Array, place: Place, generation: number): string {
  const counted = Buffer.alloc(GENERATION_BYTES);
  counted.writeUInt32BE(generation);
  return sealText(secret, 'refresh', Buffer.concat([bytesOf(place), counted]));
}

export function openRefreshToken(
  secret: Uint8Array,
  token: string,
): { readonly place: Place; readonly generation: number } | null {
  const content = openText(secret, 'refresh', token);
  return content === null
    ? null
    : { place: placeOf(content), generation: content.readUInt32BE(2 * UUID_BYTES) };
}

/** The secret of the API key in this generation: a repeated answer is the same answer. */
export function keySecretOf(secret: Uint8Array, place: Place, generation: number): Uint8Array {
  const mac = createHmac('sha256', secret).update(`acuse/grant/access/${generation}\0`);
  return mac.update(bytesOf(place)).digest().subarray(0, SECRET_BYTES);
}

function macOf(secret: Uint8Array, kind: Kind, content: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(`acuse/grant/${kind}\0`).update(content).digest();
}

function bytesOf({ tenantId, apiKeyId }: Place): Buffer {
  return Buffer.from((tenantId + apiKeyId).replaceAll('-', ''), 'hex');
}

function placeOf(content: Buffer): Place {
  return { tenantId: idAt(content, 0), apiKeyId: idAt(content, UUID_BYTES) };
}

function idAt(content: Buffer, at: number): string {
  return content
    .toString('hex', at, at + UUID_BYTES)
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
