import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type HttpsReceiver, startHttpsReceiver } from '@acuse/testkit/https-receiver';
import { afterEach, expect, test } from 'vitest';
import type { Db } from '../../src/platform/database/db.ts';
import { newId } from '../../src/platform/ids.ts';
import { appendEvents } from '../../src/webhooks/append.ts';
import { createProcesses, type Service } from '../support/process.ts';
import { acceptsBySpecification } from './harness.ts';

/** Real server processes, killed while they tell a receiver that fails half of its answers. */
const EVENTS = 1_000;
const KILLS = 3;

const processes = createProcesses();
let receiver: HttpsReceiver;
afterEach(async () => {
  await processes.end();
  await receiver.close();
});

function failHalf(): Answer {
  if (Math.random() < 0.5) return { kind: 'status', status: 200 };
  if (Math.random() < 0.3) return { kind: 'hang-up' };
  return { kind: 'status', status: Math.random() < 0.5 ? 500 : 429, afterMs: Math.random() * 20 };
}

async function emit(db: Db, tenantId: string): Promise<Map<string, string>> {
  const events = Array.from({ length: EVENTS }, (_, at) => ({
    tenantId,
    eventId: newId(),
    messageId: newId(),
    type: 'email.sent' as const,
    occurredAt: new Date(),
    data: { at },
  }));
  for (let from = 0; from < EVENTS; from += 100)
    await db.transact((tx) => appendEvents(tx, events.slice(from, from + 100)));
  return new Map(events.map((event) => [event.eventId, event.messageId]));
}

/** Makes the hours between two attempts pass. */
function passTime(db: Db): { stop(): void } {
  const timer = setInterval(
    () =>
      void db
        .execute('update webhook_queue set due_at = now() where lease_id is null and due_at > now()')
        .catch(() => {}),
    100,
  );
  return { stop: () => clearInterval(timer) };
}

interface Counts {
  pending: number;
  delivered: number;
  failed: number;
}

async function count(db: Db): Promise<Counts> {
  const rows = await db.query<Counts>(
    `select count(q.delivery_id) as pending, count(*) filter (where failed) as failed,
            count(*) filter (where q.delivery_id is null and not failed) as delivered
       from webhook_deliveries d left join webhook_queue q using (tenant_id, delivery_id)`,
  );
  return rows[0]!;
}

test(`${EVENTS} events to a receiver that fails half of its answers all arrive, whoever is killed on the way`, async () => {
  receiver = await startHttpsReceiver({ names: ['localhost'] });
  receiver.answer(failHalf);
  const caFile = join(processes.folder(), 'ca.pem');
  writeFileSync(caFile, receiver.caPem);
  const env = { ACUSE_WEBHOOK_ALLOW_PRIVATE: 'true', NODE_EXTRA_CA_CERTS: caFile, ACUSE_LOG_LEVEL: 'warn' };
  const databaseUrl = await processes.database();
  const db = processes.connect(databaseUrl);
  let service: Service = await processes.start({ databaseUrl, env });

  const made = await service.call('POST', '/v1/webhooks', { url: receiver.url('/storm'), events: ['*'] });
  expect(made.status).toBe(201);
  const { id, secret } = made.body;
  const events = await emit(db, service.sandbox.tenant_id);
  const time = passTime(db);

  for (let kill = 1; kill <= KILLS; kill++) {
    const delivered = (kill * EVENTS) / (KILLS + 2);
    await expect.poll(async () => (await count(db)).delivered).toBeGreaterThan(delivered);
    await service.kill9();
    // Its deliveries come due when its leases run out.
    await db.execute('update webhook_queue set due_at = now() where lease_id is not null');
    service = await processes.start({ databaseUrl, env });
  }
  // Eight attempts at one half each leave some 4 in 1 000 undelivered: those are replayed.
  for (;;) {
    await expect.poll(async () => (await count(db)).pending).toBe(0);
    if ((await count(db)).failed === 0) break;
    const replay = await service.call('POST', `/v1/webhooks/${id}/replay`, { since: '2026-01-01T00:00:00Z' });
    expect(replay.status).toBe(202);
    await sleep(50);
  }
  time.stop();
  expect(await count(db)).toEqual({ pending: 0, delivered: EVENTS, failed: 0 });
  expect(await db.query('select 1 from webhook_queue')).toEqual([]);

  const arrived = new Map<string, number>();
  for (const request of receiver.requests) {
    expect(acceptsBySpecification(request, secret)).toBe(true);
    const body = JSON.parse(request.body.toString());
    expect(events.get(body.data.event_id)).toBe(body.data.message_id);
    arrived.set(body.data.event_id, (arrived.get(body.data.event_id) ?? 0) + 1);
  }
  expect(arrived.size).toBe(EVENTS);

  const log = await db.query<{
    event_id: string;
    attempts: number;
    statuses: (number | null)[];
    logged: number;
  }>(
    `select d.event_id, max(a.attempt) as attempts, count(*) as logged, array_agg(a.status_code order by a.attempt) as
      statuses
       from webhook_deliveries d join webhook_attempts a using (tenant_id, delivery_id) group by 1`,
  );
  expect(log).toHaveLength(EVENTS);
  for (const { event_id, attempts, logged, statuses } of log) {
    expect(logged).toBe(attempts);
    // An attempt that a kill cut off is not in the log, and is made again.
    expect(arrived.get(event_id)).toBeGreaterThanOrEqual(statuses.filter((status) => status !== null).length);
    expect(statuses.at(-1)).toBe(200);
    expect(statuses.slice(0, -1)).not.toContain(200);
  }
});
