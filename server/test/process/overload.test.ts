import { readFileSync } from 'node:fs';
import { eventually } from '@acuse/testkit/eventually';
import { afterEach, expect, test } from 'vitest';
import { audit } from '../support/audit.ts';
import { createProcesses, type Service } from '../support/process.ts';
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

test('while nothing can be committed, sends are refused in time and whole; what was taken is stored afterwards', async () => {
  const { proxy, db, service } = await processes.startBehindProxy({ ACUSE_ROLES: 'api,delivery' });
  await service.send();

  const goOn = proxy.stallAt('accept_claim_keys');
  let refusals = 0;
  const batches = Array.from({ length: BATCHES }, async () => {
    const answer = await service.call('POST', '/v1/messages/batch', batch());
    if (answer.status === 503) refusals++;
    return answer;
  });
  // Not for all of them: ten seconds after the stall the outcome of what was taken is unknown.
  await eventually(() => refusals > BATCHES / 2);
  const refused = await service.send();
  expect(refused).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
  // Said without waiting for a commit: the outcome of one would not be known.
  expect(refused.body.error.message).toContain('nothing was accepted');
  expect(refused.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
  goOn();

  const answers = await Promise.all(batches);
  let created = 0;
  for (const { status, body, headers } of answers) {
    if (status === 503) {
      expect(body.error.code).toBe('unavailable');
      expect(headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
      continue;
    }
    expect(status).toBe(200);
    expect(body.created).toBeGreaterThan(0);
    created += body.created;
    for (const result of body.results)
      if (result.status === 'failed') expect(result.error.code).toBe('unavailable');
  }
  expect(answers.filter(({ status }) => status === 503).length).toBeGreaterThan(BATCHES / 2);
  expect(created).toBeGreaterThan(0);
  expect(await db.query('select count(*) as n from messages')).toEqual([{ n: created + 1 }]);
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
  const sends = Array.from({ length: LARGE_SENDS }, () =>
    service.send({ attachments: [{ filename: 'a.bin', content }] }),
  );
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  goOn();
  const statuses = (await Promise.all(sends)).map(({ status }) => status);
  const accepted = statuses.filter((status) => status === 201).length;
  expect(accepted).toBeGreaterThan(0);
  expect(statuses.filter((status) => status === 503)).toHaveLength(LARGE_SENDS - accepted);
  expect(await db.query('select count(*) as n from messages')).toEqual([{ n: accepted + 1 }]);
  expect(peakMemoryMib(service)).toBeLessThan(MEMORY_LIMIT_MIB);
  await service.stop();
  expect(await audit(db)).toEqual([]);
});
