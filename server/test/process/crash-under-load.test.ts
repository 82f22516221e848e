import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@acuse/testkit/eventually';
import { untilLetIn } from '@acuse/testkit/until-let-in';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Db } from '../../src/platform/database/db.ts';
import { audit, countStates } from '../support/audit.ts';
import { type Load, startLoad } from '../support/load.ts';
import { createProcesses, type Service } from '../support/process.ts';

/** Kills at moments that nobody chose, under load; then the service is held to every answer that it gave. */

const processes = createProcesses();
let service: Service;
beforeAll(async () => {
  service = await processes.start();
});
afterAll(processes.end);

const CONNECTIONS = 32;
const KILLS = 3;

/** Certified and plain, to an address that takes mail and to one that refuses it. */
const mixed = (at: number) => ({
  certified: at % 4 !== 0,
  to: at % 10 === 0 ? `bounced+${at}@sandbox.test` : 'delivered@sandbox.test',
});

/** The address of this folder's embedded PostgreSQL, and the number of its first process. */
function embedded(dataDir: string): { url: string; pid: number } {
  return JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8'));
}

/** Key → id of every message that there must be. */
const settled = new Map<string, string>();

async function expectKept(db: Db, load: Load): Promise<void> {
  expect(load.odd).toEqual([]);
  for (const [key, id] of load.accepted) settled.set(key, id);
  // Whoever was not told asks again with the same key, and gets one message, made now or then.
  await Promise.all(
    [...load.unanswered, ...load.unavailable].map(async ({ key, fields }) => {
      const answer = await untilLetIn(() => service.send(fields, key));
      expect(answer.status).toBe(answer.headers.get('idempotent-replayed') === 'true' ? 200 : 201);
      settled.set(key, answer.body.id);
    }),
  );
  const rows = await db.query<{ idempotency_key: string; message_id: string }>(
    'select idempotency_key, message_id from messages',
  );
  expect(rows).toHaveLength(settled.size);
  expect(new Map(rows.map((row) => [row.idempotency_key, row.message_id]))).toEqual(settled);
}

describe('kill -9 of the server', () => {
  test('again and again under load: every answer holds, every retry makes one message, all sums agree', async () => {
    let up = true;
    const { dataDir } = service;
    const load = startLoad(() => (up ? service : null), { concurrency: CONNECTIONS, fields: mixed });
    for (let kill = 1; kill <= KILLS; kill++) {
      const before = load.accepted.size;
      await eventually(() => load.accepted.size > before + 100);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 200));
      await service.kill9();
      up = false;
      service = await processes.start({ dataDir });
      up = true;
    }
    await load.stop();
    const db = processes.connect(embedded(dataDir).url);
    await expectKept(db, load);
    await expectSums(db);
  });
});

/** Accepted is sent, bounced or waiting; nothing else, and nothing twice. */
async function expectSums(db: Db): Promise<void> {
  expect(await audit(db)).toEqual([]);
  const { sent = 0, bounced = 0, queued = 0, deferred = 0, ...rest } = await countStates(db);
  expect(rest).toEqual({});
  const [all] = await db.query<{ n: number }>('select count(*) as n from idempotency_claims');
  expect(sent + bounced + queued + deferred).toBe(all!.n);
}

describe('kill -9 of PostgreSQL', () => {
  test('again and again under load: the service comes back by itself, and nothing that was answered is lost', async () => {
    const load = startLoad(() => service, { concurrency: CONNECTIONS, fields: mixed });
    for (let kill = 1; kill <= KILLS; kill++) {
      const before = load.accepted.size;
      await eventually(() => load.accepted.size > before + 100);
      process.kill(embedded(service.dataDir).pid, 'SIGKILL');
    }
    const before = load.accepted.size;
    await eventually(() => load.accepted.size > before + 100);
    await load.stop();
    // It was there all the time to answer: 2xx or 503, nothing else and not nothing.
    expect(load.unanswered).toEqual([]);
    const db = processes.connect(embedded(service.dataDir).url);
    await expectKept(db, load);
    const { body } = await service.send();
    await eventually(async () => {
      const now = await service.call('GET', `/v1/messages/${body.id}`);
      return now.body.status === 'sent' && now.body.sealed_at !== null;
    });
    await expectSums(db);
  });
});
