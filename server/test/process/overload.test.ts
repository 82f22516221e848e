import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@acuse/testkit/eventually';
import { createGate } from '@acuse/testkit/https-receiver';
import { afterEach, expect, test } from 'vitest';
import { audit } from '../support/audit.ts';
import { type Answer, createProcesses, type Service } from '../support/process.ts';
import { newKey } from '../support/service.ts';

/**
 * More than can be taken while the database is slow: told so at once, in bounded memory, and nothing accepted
 * is lost.
 */

const processes = createProcesses();
afterEach(processes.end);

/** Twice what may wait for a commit at once. */
const BATCHES = 200;
const ITEMS = 100;
/** Resident memory that a server under this load must stay below. */
const MEMORY_LIMIT_MIB = 1_024;

/** Most memory that the process ever had resident (MiB). */
function peakMemoryMib({ pid }: Service): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1_024;
}

function batch(): object {
  const messages = Array.from({ length: ITEMS }, () => ({
    idempotency_key: newKey(),
    from: 'billing@sandbox.test',
    to: 'delivered@sandbox.test',
    subject: 'Hello',
    text: 'Hello Ana',
    certified: false,
  }));
  return { messages };
}

const NOTHING = 'nothing was accepted';
/** Said without waiting for a commit: the outcome of one would not be known. */
const isWhole = ({ status, body }: Answer) => status === 503 && body.error.message.includes(NOTHING);

function isUnknown(answer: Answer): boolean {
  if (answer.status === 503) return !isWhole(answer);
  const results: { error?: { message: string } }[] = answer.body.results ?? [];
  return results.some(({ error }) => error !== undefined && !error.message.includes(NOTHING));
}

/**
 * Calls, and says what came of it at first and in the end: ten seconds after a stall the outcome of what was
 * taken is unknown, and a client calls again, with the same keys, until it is told.
 */
function createClient(canCommit: Promise<void>) {
  const firsts: Answer[] = [];
  async function send(call: () => Promise<Answer>): Promise<{ first: Answer; last: Answer }> {
    const first = await call();
    firsts.push(first);
    if (!isUnknown(first)) return { first, last: first };
    await canCommit;
    for (;;) {
      const last = await call();
      if (last.status !== 503 && !isUnknown(last)) return { first, last };
      await sleep(Number(last.headers.get('retry-after') ?? 0) * 1_000);
    }
  }
  return { send, firsts };
}

test('while nothing can be committed, sends are refused in time and whole; what was taken is stored afterwards', async () => {
  const { proxy, db, service } = await processes.startBehindProxy({ ACUSE_ROLES: 'api,delivery' });
  await service.send();

  const goOn = proxy.stallAt('accept_claim_keys');
  const stall = createGate();
  const client = createClient(stall.until);
  const single = createClient(stall.until);
  const batches = Array.from({ length: BATCHES }, async () => {
    const body = batch();
    const told = await client.send(() => service.call('POST', '/v1/messages/batch', body));
    const key = newKey();
    // While there is no place for one there is none for the next.
    return [told, ...(isWhole(told.first) ? [await single.send(() => service.send({}, key))] : [])];
  });
  const refusals = () => client.firsts.filter(({ status }) => status === 503).length;
  await eventually(() => refusals() > BATCHES / 2 && single.firsts.some(isWhole));
  goOn();
  stall.open();

  const answers = (await Promise.all(batches)).flat();
  let stored = 1;
  for (const { status, body, headers } of answers.flatMap(({ first, last }) => [first, last])) {
    if (status !== 503) continue;
    expect(body.error.code).toBe('unavailable');
    expect(headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
  }
  for (const { last } of answers) {
    if (last.status === 503) continue;
    expect(last.status).toBeOneOf([200, 201]);
    const { results, created, replayed } = last.body;
    stored += results === undefined ? 1 : created + replayed;
    for (const result of results ?? [])
      if (result.status === 'failed') expect(result.error.code).toBe('unavailable');
  }
  expect(refusals()).toBeGreaterThan(BATCHES / 2);
  expect(stored).toBeGreaterThan(1);
  expect(await db.query('select count(*) as n from messages')).toEqual([{ n: stored }]);
  expect((await service.send()).status).toBe(201);
  expect(peakMemoryMib(service)).toBeLessThan(MEMORY_LIMIT_MIB);
  await service.stop();
  expect(await audit(db)).toEqual([]);
});

/** Bodies of this size, more of them at once than may be held in memory. */
const LARGE_BYTES = 12 * 1024 * 1024;
const LARGE_SENDS = 40;

test('large sends beyond what fits into memory are refused unread', async () => {
  const { proxy, db, service } = await processes.startBehindProxy({ ACUSE_ROLES: 'api,delivery' });
  await service.send();

  const goOn = proxy.stallAt('accept_claim_keys');
  const content = Buffer.alloc((LARGE_BYTES * 3) / 4, 'acuse').toString('base64');
  const stall = createGate();
  const client = createClient(stall.until);
  const sends = Array.from({ length: LARGE_SENDS }, () => {
    const key = newKey();
    return client.send(() => service.send({ attachments: [{ filename: 'a.bin', content }] }, key));
  });
  await eventually(() => client.firsts.some(isWhole));
  goOn();
  stall.open();
  const statuses = (await Promise.all(sends)).map(({ last }) => last.status);
  const accepted = statuses.filter((status) => status === 201).length;
  expect(accepted).toBeGreaterThan(0);
  expect(accepted).toBeLessThan(LARGE_SENDS);
  expect(statuses.filter((status) => status === 503)).toHaveLength(LARGE_SENDS - accepted);
  expect(await db.query('select count(*) as n from messages')).toEqual([{ n: accepted + 1 }]);
  expect(peakMemoryMib(service)).toBeLessThan(MEMORY_LIMIT_MIB);
  await service.stop();
  expect(await audit(db)).toEqual([]);
});
