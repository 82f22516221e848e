import { writeFileSync } from 'node:fs';
import { PATIENCE } from '@acuse/testkit/eventually';
import pg from 'pg';
import { expect, vi } from 'vitest';
import { newKey } from './service.ts';

/** A customer's work with a server process that a test restarts: `server` says which one now. */
export function customerOf(server: () => { readonly baseUrl: string; readonly key: string }) {
  async function call(path: string, body?: object, headers: Record<string, string> = {}): Promise<Response> {
    const { baseUrl, key } = server();
    return fetch(`${baseUrl}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  async function sendSealed(): Promise<string> {
    const message = {
      from: 'a@sandbox.test',
      to: 'b@sandbox.test',
      subject: 'x',
      text: 'x',
      certified: true,
    };
    const answer = await call('/v1/messages', message, { 'idempotency-key': newKey() });
    expect(answer.status).toBe(201);
    const { id } = (await answer.json()) as { id: string };
    await vi.waitFor(async () => {
      const { sealed_at } = (await (await call(`/v1/messages/${id}`)).json()) as { sealed_at: string | null };
      expect(sealed_at).not.toBeNull();
    }, PATIENCE);
    return id;
  }

  async function keepBundle(id: string, file: string): Promise<void> {
    await vi.waitFor(async () => {
      const answer = await call(`/v1/messages/${id}/proof-bundle`, undefined, { accept: 'application/json' });
      expect(answer.status).toBe(200);
      writeFileSync(file, await answer.text());
    }, PATIENCE);
  }

  return { call, sendSealed, keepBundle };
}

/** On a database whose service may be stopped. */
export async function queryAsWorker(
  databaseUrl: string,
  text: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: databaseUrl, options: '-c role=acuse_worker' });
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}
