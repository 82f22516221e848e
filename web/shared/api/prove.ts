/** The answer of a shared link: the bundle, or the reason for its absence. */
export type Opened =
  | { readonly kind: 'opened'; readonly bundle: Uint8Array<ArrayBuffer> }
  /** Wrong, expired and revoked alike. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'failed'; readonly requestId: string | null };

/** `POST /prove/{id}`: without a session. Each opening is in the access log of the link's owner. */
export async function openShare(id: string, secret: string): Promise<Opened> {
  try {
    const answer = await fetch(`/prove/${encodeURIComponent(id)}`, {
      method: 'POST',
      credentials: 'omit',
      headers: { 'Content-Type': 'application/json', Accept: 'application/zip' },
      body: JSON.stringify({ secret }),
    });
    if (answer.ok) return { kind: 'opened', bundle: new Uint8Array(await answer.arrayBuffer()) };
    // A secret that is malformed is as wrong as any other.
    if (answer.status === 404 || answer.status === 400) return { kind: 'gone' };
    return { kind: 'failed', requestId: answer.headers.get('Request-Id') };
  } catch {
    return { kind: 'failed', requestId: null };
  }
}
