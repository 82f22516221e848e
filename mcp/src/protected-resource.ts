/** The answer to a client without a token: where it gets one (RFC 9728), and for what. */
import type { Config } from './config.ts';

/** Those of the tools; sending needs both. */
export const SCOPES = ['evidence:read', 'messages:send'];
const WELL_KNOWN = '/.well-known/oauth-protected-resource';
const ISSUER_PATH = '/.well-known/oauth-authorization-server';
/** How long the service may take to say who issues tokens, and how long that is kept. */
const ISSUER_TIMEOUT_MS = 5_000;
const ISSUER_KEPT_MS = 300_000;
const ISSUER_MAX_BYTES = 64 * 1024;

/** RFC 9728 §3.1: the path of the resource follows the well-known one. */
export function metadataUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + WELL_KNOWN + (pathname === '/' ? '' : pathname);
}

/** Also without that path: some clients ask there. */
export function isMetadataPath(url: string | null, path: string | undefined): boolean {
  return url !== null && (path === WELL_KNOWN || path === new URL(metadataUrl(url)).pathname);
}

/** RFC 9728 §5.1, RFC 6750 §3 */
export function challengeOf(url: string | null, error?: 'invalid_token'): string {
  const fields = [
    'realm="acuse"',
    ...(error === undefined ? [] : [`error="${error}"`]),
    ...(url === null ? [] : [`resource_metadata="${metadataUrl(url)}"`, `scope="${SCOPES.join(' ')}"`]),
  ];
  return `Bearer ${fields.join(', ')}`;
}

/** Why the document cannot be given now. */
export class IssuerError extends Error {
  override readonly name = 'IssuerError';
}

/** The document, RFC 9728 §2. Throws IssuerError. */
export function createMetadata({ baseUrl, url }: Config): () => Promise<object> {
  let known: { readonly issuer: string; readonly untilMs: number } | null = null;
  return async () => {
    if (known === null || known.untilMs < performance.now())
      known = { issuer: await readIssuer(baseUrl, url!), untilMs: performance.now() + ISSUER_KEPT_MS };
    return {
      resource: url,
      authorization_servers: [known.issuer],
      scopes_supported: SCOPES,
      bearer_methods_supported: ['header'],
      resource_name: 'Acuse',
      resource_documentation: `${known.issuer}/docs/agents`,
    };
  };
}

/** The service says it itself: ACUSE_URL may be an address inside. Throws IssuerError. */
async function readIssuer(baseUrl: string, url: string): Promise<string> {
  let found: unknown;
  try {
    const answer = await fetch(new URL(ISSUER_PATH, baseUrl), {
      redirect: 'error',
      signal: AbortSignal.timeout(ISSUER_TIMEOUT_MS),
    });
    found = answer.ok ? JSON.parse(await textOf(answer)) : null;
  } catch (cause) {
    throw new IssuerError('The service at ACUSE_URL does not say who issues tokens. Try again.', { cause });
  }
  const { issuer, protected_resources: resources } = (found ?? {}) as Record<string, unknown>;
  if (typeof issuer !== 'string' || !Array.isArray(resources) || !resources.includes(url))
    throw new IssuerError(`The service issues no tokens for ${url}: set its ACUSE_MCP_URL to that.`);
  return issuer;
}

async function textOf({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.length;
    if (bytes > ISSUER_MAX_BYTES) throw new RangeError('too long');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
