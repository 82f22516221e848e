export interface Ask {
  // biome-ignore lint/suspicious/noExplicitAny: each caller knows the schema of what it asked for
  get(path: string): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: each caller knows the schema of what it asked for
  post(path: string, body?: object, idempotencyKey?: string): Promise<any>;
}

const REQUEST_TIMEOUT_MS = 10_000;
const ERROR_MAX_CHARS = 500;

export function createAsk(baseUrl: string, apiKey: string): Ask {
  async function call(method: string, path: string, body?: object, key?: string) {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(key && { 'idempotency-key': key }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    if (response.ok) return response.json();
    const said = (await response.text()).slice(0, ERROR_MAX_CHARS);
    throw new Error(`${method} ${path} answered ${response.status}: ${said}`);
  }
  return {
    get: (path) => call('GET', path),
    post: (path, body, key) => call('POST', path, body, key),
  };
}
