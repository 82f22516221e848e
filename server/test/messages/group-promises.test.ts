import { fromHex } from '@acuse/evidence/bytes';
import { openPromise } from '@acuse/evidence/promise';
import { parseVerifierKey, type VerifierKey } from '@acuse/evidence/verifier-key';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sha256 } from '../../src/platform/sha256.ts';
import { newKey, startTestService, type TestService } from '../support/service.ts';

/** Messages accepted together are promised under one signature, which each sender can check alone. */
let service: TestService;
let key: VerifierKey;
beforeAll(async () => {
  service = await startTestService();
  key = parseVerifierKey((await service.call('GET', '/log/key')).raw.toString().trim(), sha256);
});
afterAll(() => service.stop());

type Item = { id: string; promise: string | null };
const TERM_S = 24 * 60 * 60;
const signedPart = (promise: string) => promise.slice(promise.indexOf('\n\n') + 2);
const item = (certified: boolean) => ({
  idempotency_key: newKey(),
  from: 'a@sandbox.test',
  to: 'b@sandbox.test',
  subject: 'Hello',
  text: 'Hello',
  certified,
});

async function sendAll(items: readonly ReturnType<typeof item>[]): Promise<Item[]> {
  const { body } = await service.call('POST', '/v1/messages/batch', { body: { messages: items } });
  return body.results.map(({ message }: { message: Item }) => message);
}

async function expectOwn({ id, promise }: Item): Promise<void> {
  const [row] = await service.db.query<{ hash: string; at: Date }>(
    `select encode(canonical_hash, 'hex') as hash, created_at as at from messages where message_id = $1`,
    [id],
  );
  const opened = openPromise(promise!, [key], sha256);
  expect(opened.canonicalHash).toEqual(fromHex(row!.hash, 32));
  expect(opened.deadline).toBeGreaterThanOrEqual(row!.at.getTime() / 1000 + TERM_S);
  expect(opened.deadline).toBeLessThanOrEqual(row!.at.getTime() / 1000 + TERM_S + 60);
}

test('a batch has a promise for each certified message, with one signature, and none for a plain one', async () => {
  const messages = await sendAll(Array.from({ length: 21 }, (_, n) => item(n % 3 !== 2)));
  const certified = messages.filter(({ promise }) => promise !== null);
  expect(messages.map(({ promise }) => promise !== null)).toEqual(messages.map((_, n) => n % 3 !== 2));
  expect(new Set(certified.map(({ promise }) => signedPart(promise!))).size).toBe(1);
  for (const each of certified) await expectOwn(each);
});

test('one alone, a replay and a later read have a promise of their own, the same each time', async () => {
  const items = Array.from({ length: 3 }, () => item(true));
  const first = await sendAll(items);
  const again = await sendAll(items);
  for (const [at, { id, promise }] of first.entries()) {
    expect(promise).toMatch(/^acuse\/promise\/v2\n/);
    const { body } = await service.call('GET', `/v1/messages/${id}`);
    expect(body.promise).toMatch(/^acuse\/promise\/v1\n/);
    expect(again[at]).toMatchObject({ id, promise: body.promise });
    await expectOwn(body);
  }
  const [alone] = await sendAll([item(true)]);
  expect(alone!.promise).toMatch(/^acuse\/promise\/v1\n/);
  await expectOwn(alone!);
});
