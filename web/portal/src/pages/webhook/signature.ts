/** Computed locally from the pasted secret. Service-Signature and Standard Webhooks. */
export interface Signatures {
  /** `Service-Signature`: over the body, keyed with the secret's own characters. */
  readonly service: string;
  /** `webhook-signature`: over `id.timestamp.body`, keyed with the bytes that the secret encodes. */
  readonly standard: string;
}

interface Signed {
  readonly body: string;
  /** With `webhook-id` and `webhook-timestamp`. */
  readonly headers: Readonly<Record<string, string>>;
}

const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

export function isSecret(text: string): boolean {
  return bytesOf(text) !== null;
}

/** Null: the text is not a secret of ours. */
export async function signaturesOf(secret: string, { body, headers }: Signed): Promise<Signatures | null> {
  const key = bytesOf(secret);
  if (key === null) return null;
  const text = (value: string) => new TextEncoder().encode(value);
  const service = await hmac(text(secret), text(body));
  const standard = await hmac(key, text(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`));
  return { service: `sha256=${hexOf(service)}`, standard: `v1,${btoa(String.fromCharCode(...standard))}` };
}

function bytesOf(secret: string): Uint8Array<ArrayBuffer> | null {
  const [, base64] = SECRET.exec(secret) ?? [];
  if (base64 === undefined) return null;
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

async function hmac(secret: Uint8Array<ArrayBuffer>, data: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, data));
}

function hexOf(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
