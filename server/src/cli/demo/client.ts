import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxFile } from '../../sandbox/sandbox-file.ts';

export interface DemoClient {
  send(body: object, idempotencyKey: string): Promise<DemoMessage>;
  message(id: string): Promise<DemoMessage>;
  evidence(id: string): Promise<DemoEvidence | null>;
  attempts(id: string): Promise<{ data: { sessions: { tls: { version: string } | null }[] }[] }>;
  bundle(id: string): Promise<Buffer>;
}

interface DemoMessage {
  id: string;
  status: string;
  created_at: string;
  sent_at: string | null;
  sealed_at: string | null;
  last_reply: { code: number | null; enhanced: string | null; text: string; mx: string | null } | null;
}

export interface DemoEvidence {
  tree_size: number;
  delivery: { kind: string; leaf_index: number | null; sealed_at: string | null }[];
}

const REQUEST_TIMEOUT_MS = 60_000;
const ALIVE_TIMEOUT_MS = 10_000;
const NOT_SEALED = 422;

export function createDemoClient({
  base_url,
  api_key,
}: Pick<SandboxFile, 'base_url' | 'api_key'>): DemoClient {
  async function call(
    method: string,
    path: string,
    init: { body?: object; headers?: Record<string, string>; also?: number } = {},
  ): Promise<Response> {
    const response = await fetch(`${base_url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${api_key}`,
        ...(init.body && { 'content-type': 'application/json' }),
        ...init.headers,
      },
      ...(init.body && { body: JSON.stringify(init.body) }),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    if (response.ok || response.status === init.also) return response;
    throw new Error(
      `${method} ${path} answered ${response.status}: ${(await response.text()).slice(0, 500)}`,
    );
  }
  const json = async (response: Promise<Response>) => (await response).json();
  return {
    send: (body, key) =>
      json(
        call('POST', '/v1/messages', { body, headers: { 'idempotency-key': key } }),
      ) as Promise<DemoMessage>,
    message: (id) => json(call('GET', `/v1/messages/${id}`)) as Promise<DemoMessage>,
    async evidence(id) {
      const response = await call('GET', `/v1/messages/${id}/evidence`, { also: NOT_SEALED });
      return response.ok ? ((await response.json()) as DemoEvidence) : null;
    },
    attempts: (id) => json(call('GET', `/v1/messages/${id}/attempts`)) as ReturnType<DemoClient['attempts']>,
    async bundle(id) {
      const response = await call('GET', `/v1/messages/${id}/proof-bundle`);
      return Buffer.from(await response.arrayBuffer());
    },
  };
}

export async function isAlive(baseUrl: string): Promise<boolean> {
  try {
    return (await fetch(`${baseUrl}/healthz`, { signal: AbortSignal.timeout(ALIVE_TIMEOUT_MS) })).ok;
  } catch {
    return false;
  }
}

/** Polls until `done`. Throws after `withinMs`. */
export async function waitFor<T>(
  ask: () => Promise<T>,
  done: (value: T) => boolean,
  withinMs: number,
  what: string,
): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const value = await ask();
    if (done(value)) return value;
    if (performance.now() >= deadline) throw new Error(`${what} took longer than ${withinMs / 1_000} s`);
    await sleep(50);
  }
}
