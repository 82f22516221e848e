/** Longest wait (ms): an example's answer takes milliseconds, and a service that is down gives none. */
const LIMIT_MS = 20_000;

/** A request of the person signed in to the portal, from a page of /docs. `path`: below /v1/portal. */
export function askPortal(
  path: string,
  { account, headers, ...init }: RequestInit & { account?: string } = {},
): Promise<Response> {
  return fetch(`/v1/portal${path}`, {
    ...init,
    headers: { ...headers, ...(account !== undefined && { 'Service-Account': account }) },
    signal: AbortSignal.timeout(LIMIT_MS),
  });
}
