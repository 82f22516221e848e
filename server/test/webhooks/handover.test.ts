import { PATIENCE } from '@acuse/testkit/eventually';
import { createGate, type HttpsReceiver } from '@acuse/testkit/https-receiver';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Db, Tx } from '../../src/platform/database/db.ts';
import { newId } from '../../src/platform/ids.ts';
import { appendEvents } from '../../src/webhooks/append.ts';
import {
  createWebhookDelivery,
  type WebhookDelivery,
  type WebhookDeliveryDeps,
} from '../../src/webhooks/deliver.ts';
import { createEndpoints } from '../../src/webhooks/endpoints.ts';
import type { WebhookHandover } from '../../src/webhooks/handover.ts';
import type { NewDelivery } from '../../src/webhooks/queue-store.ts';
import { startTestService } from '../support/service.ts';
import { acceptsBySpecification, received, startWebhooks, type Webhooks } from './harness.ts';

/** Events that this process appends go to its own worker, unclaimed; a crash loses none. */

let hooks: Webhooks;
let receiver: HttpsReceiver;
const workers: WebhookDelivery[] = [];

beforeEach(async () => {
  hooks = await startWebhooks();
  receiver = await hooks.receiver();
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop(100)));
  await hooks.close();
});

/** A worker that has looked once, and will hardly look again by itself. */
async function work(deps: Partial<WebhookDeliveryDeps> = {}): Promise<WebhookDelivery> {
  const worker = createWebhookDelivery({ ...hooks.deps, pollMs: 60_000, ...deps });
  workers.push(worker);
  worker.start();
  await vi.waitFor(() => expect(takes(worker.handover)).toBe(true), PATIENCE);
  return worker;
}

const probe = (fields: Partial<NewDelivery> = {}): NewDelivery => ({
  tenantId: newId(),
  deliveryId: newId(),
  webhookId: newId(),
  eventId: newId(),
  messageId: newId(),
  type: 'email.sent',
  body: Buffer.from('{}'),
  createdAt: new Date(),
  sandbox: false,
  ...fields,
});

/** As a transaction that is rolled back as soon as it has chosen. */
function rolledBack(handover: WebhookHandover, deliveries: readonly NewDelivery[]): readonly boolean[] {
  const ends: ((committed: boolean) => void)[] = [];
  const tx = { onEnd: (told: (committed: boolean) => void) => void ends.push(told) } as Tx;
  const held = handover.choose(tx, deliveries)?.held ?? deliveries.map(() => false);
  for (const told of ends) told(false);
  return held;
}

const takes = (handover: WebhookHandover, fields: Partial<NewDelivery> = {}) =>
  rolledBack(handover, [probe(fields)])[0]!;

interface Emitted {
  readonly handover: WebhookHandover | null;
  readonly tenantId: string;
  readonly count?: number;
  /** In the transaction, after the events. */
  readonly last?: (tx: Tx) => Promise<unknown>;
}

async function emit({ handover, tenantId, count = 1, last }: Emitted) {
  const now = hooks.clock.now();
  const events = Array.from({ length: count }, () => ({
    ...{ tenantId, eventId: newId(now.getTime()), messageId: newId(), occurredAt: now },
    ...{ type: 'email.sent' as const, data: { to: 'josé@example.com', reply: 'a\u0000b \ud800' } },
  }));
  await hooks.db.transact(async (tx) => {
    await appendEvents(tx, events, handover);
    await last?.(tx);
  });
  return events;
}

/** Holds back the news of transactions' ends until `tell` is called; a process that died hears of none. */
function delayed(handover: WebhookHandover) {
  const told: (() => void)[] = [];
  return {
    handover: {
      choose(tx, deliveries) {
        const late = {
          ...tx,
          onEnd: (end: (committed: boolean) => void) =>
            tx.onEnd((committed) => void told.push(() => end(committed))),
        };
        return handover.choose(late as Tx, deliveries);
      },
    } as WebhookHandover,
    tell: () => {
      for (const each of told.splice(0)) each();
    },
  };
}

const queue = (webhookId: string) =>
  hooks.db.query<{ attempt: number; held: boolean }>(
    `select attempt, lease_id is not null as held from webhook_queue where webhook_id = $1
      order by delivery_id`,
    [webhookId],
  );
const heldOf = async (webhookId: string) => (await queue(webhookId)).filter(({ held }) => held).length;

const endLeases = () =>
  hooks.db.execute('update webhook_queue set due_at = now() where lease_id is not null');

async function subscribed(path = '/') {
  const { tenantId } = await hooks.tenant();
  const { row, secret } = await hooks.endpoint(tenantId, receiver.url(path));
  return { tenantId, webhookId: row.webhook_id, secret };
}

test('an event is told with the commit that appends it, as a claim would tell it', async () => {
  const claims: string[] = [];
  const db: Db = {
    ...hooks.db,
    query(text, values, name) {
      if (/update webhook_queue/.test(text)) claims.push(text);
      return hooks.db.query(text, values, name);
    },
  };
  const { handover } = await work({ db });
  const { tenantId, webhookId, secret } = await subscribed();
  await emit({ handover, tenantId });
  // Nobody looks for work: pollMs is a minute.
  const [delivery] = await hooks.settled(webhookId);
  expect(delivery).toMatchObject({ status: 'delivered', attempts: 1, last_status_code: 200 });
  expect(delivery!.log).toHaveLength(1);
  expect(claims).toEqual([]);
  const [request] = receiver.requests;
  expect(acceptsBySpecification(request!, secret)).toBe(true);
  const [stored] = await hooks.db.query<{ body: Buffer }>(
    'select body from webhook_deliveries where webhook_id = $1',
    [webhookId],
  );
  expect(request!.body.equals(stored!.body)).toBe(true);
});

test('a send tells of its queued message without a look', async () => {
  let handover: WebhookHandover | null = null;
  const service = await startTestService({
    databaseUrl: hooks.database.url,
    after: { webhooks: () => handover },
  });
  try {
    ({ handover } = await work({ sandbox: true, secrets: service.services.secrets }));
    const { tenantId } = service.account;
    // Its secrets are sealed by the service's master key.
    const own = createEndpoints({ ...service.services, http: hooks.http });
    const { row } = await own.create(tenantId, { url: receiver.url(), events: ['*'] });
    const answer = await service.send({ certified: true });
    expect(answer.status).toBe(201);
    const [delivery] = await hooks.settled(row.webhook_id);
    expect(delivery).toMatchObject({ status: 'delivered', event_id: answer.body.id });
  } finally {
    await Promise.all(workers.splice(0).map((worker) => worker.stop(100)));
    await service.stop();
  }
});

test('what was committed and never begun is told once its lease ends, by any process', async () => {
  const { handover } = delayed((await work()).handover);
  const { tenantId, webhookId } = await subscribed();
  await emit({ handover, tenantId });
  const other = hooks.worker();
  // The other one is at work meanwhile.
  const another = await subscribed('/other');
  await emit({ handover: null, tenantId: another.tenantId });
  await hooks.settled(another.webhookId);
  expect(await queue(webhookId)).toEqual([{ attempt: 1, held: true }]);
  await endLeases();
  other.wake();
  expect(await hooks.settled(webhookId)).toMatchObject([{ status: 'delivered', attempts: 1 }]);
  expect(receiver.requests.filter(({ path }) => path === '/')).toHaveLength(1);
});

test('nothing is told of what was rolled back, and its room is free again', async () => {
  const { handover } = await work();
  const { tenantId, webhookId } = await subscribed();
  // An endpoint that is not known yet has room for eight.
  for (let each = 0; each < 3; each++) {
    const held: number[] = [];
    const failed = emit({
      ...{ handover, tenantId, count: 8 },
      async last(tx) {
        held.push(await tx.execute('select from webhook_queue where attempt = 1 and lease_id is not null'));
        await tx.query('select 1 / 0');
      },
    });
    await expect(failed).rejects.toThrow('division by zero');
    expect(held).toEqual([8]);
  }
  expect(receiver.requests).toHaveLength(0);
  expect(await hooks.deliveries(webhookId)).toEqual([]);
});

test('a worker that is told to stop gives back what is committed only then, and another tells it at once', async () => {
  const worker = await work();
  const { tenantId, webhookId } = await subscribed();
  let stopped: Promise<void> | undefined;
  const gate = createGate();
  const emitted = emit({
    ...{ handover: worker.handover, tenantId, count: 3 },
    async last() {
      stopped = worker.stop();
      await gate.until;
    },
  });
  await vi.waitFor(() => expect(stopped).toBeDefined(), PATIENCE);
  gate.open();
  await emitted;
  // It waits for the way back.
  await stopped;
  expect(await queue(webhookId)).toEqual(Array(3).fill({ attempt: 0, held: false }));
  expect(receiver.requests).toHaveLength(0);
  // It takes no more.
  expect(takes(worker.handover)).toBe(false);
  hooks.worker();
  for (const each of await hooks.settled(webhookId)) expect(each).toMatchObject({ attempts: 1 });
  expect(receiver.requests).toHaveLength(3);
});

test.each([
  ['switched off', (t: string, w: string) => hooks.endpoints.update(t, w, { enabled: false })],
  ['deleted', (t: string, w: string) => hooks.endpoints.remove(t, w)],
] as const)('an endpoint that was %s meanwhile is told nothing', async (_, change) => {
  const worker = await work();
  const { handover, tell } = delayed(worker.handover);
  const { tenantId, webhookId } = await subscribed();
  await emit({ handover, tenantId, count: 2 });
  await change(tenantId, webhookId);
  tell();
  // Given back, and failed by a look for what is off.
  await vi.waitFor(async () => {
    worker.wake();
    const rows = await hooks.deliveries(webhookId);
    expect(rows).toMatchObject(Array(2).fill({ status: 'failed', attempts: 0, log: [] }));
  }, PATIENCE);
  expect(receiver.requests).toHaveLength(0);
});

test('an endpoint that was moved, and one whose secret was rotated, are told as they are now', async () => {
  const { handover, tell } = delayed((await work()).handover);
  const { tenantId, webhookId, secret } = await subscribed('/before');
  await emit({ handover, tenantId });
  await hooks.endpoints.update(tenantId, webhookId, { url: receiver.url('/after') });
  const rotated = await hooks.endpoints.rotate(tenantId, webhookId);
  tell();
  await hooks.settled(webhookId);
  expect(receiver.requests.map(({ path }) => path)).toEqual(['/after']);
  const [request] = receiver.requests;
  expect(acceptsBySpecification(request!, rotated.secret)).toBe(true);
  expect(acceptsBySpecification(request!, secret)).toBe(false);
  expect(request!.headers['service-signature-previous']).toBeDefined();
});

test('what comes while older deliveries of the endpoint wait is behind them in line', async () => {
  const worker = await work();
  const { handover } = worker;
  const { tenantId, webhookId } = await subscribed();
  const other = await subscribed('/other');
  receiver.answer(({ path }) =>
    path === '/other' ? { kind: 'status', status: 200 } : { kind: 'status', status: 200, until: gate.until },
  );
  const gate = createGate();
  const older = await emit({ handover, tenantId, count: 20 });
  // Eight may begin, and the rest waits in the queue.
  await expect.poll(() => receiver.requests.length).toBe(8);
  expect(await heldOf(webhookId)).toBe(8);
  const newer = await emit({ handover, tenantId });
  expect(await heldOf(webhookId)).toBe(8);
  // That is so for this endpoint alone.
  await emit({ handover, tenantId: other.tenantId });
  await hooks.settled(other.webhookId);
  gate.open();
  await hooks.settled(webhookId);
  const told = receiver.requests.filter(({ path }) => path === '/').map((each) => each.headers['webhook-id']);
  expect(new Set(told)).toEqual(new Set([...older, ...newer].map(({ eventId }) => eventId)));
  expect(told.indexOf(newer[0]!.eventId)).toBeGreaterThanOrEqual(12);
  // And over once nothing waits any more.
  await vi.waitFor(() => expect(takes(handover, { tenantId, webhookId })).toBe(true), PATIENCE);
});

test('little is held for an endpoint that turns slow, and not for long', async () => {
  const worker = await work();
  const { handover } = worker;
  const { tenantId, webhookId } = await subscribed();
  await emit({ handover, tenantId });
  await hooks.settled(webhookId);
  receiver.answer(() => ({ kind: 'stall' }));
  await emit({ handover, tenantId, count: 3_000 });
  // A few turns' worth, and then none, for there are older ones.
  expect(await heldOf(webhookId)).toBeLessThanOrEqual(512);
  await emit({ handover, tenantId, count: 100 });
  expect(await heldOf(webhookId)).toBeLessThanOrEqual(512);
  // Its window, as long as that lasts.
  await expect.poll(() => heldOf(webhookId), PATIENCE).toBeLessThanOrEqual(64);
  const given = (await queue(webhookId)).filter(({ held }) => !held);
  expect(given.length).toBeGreaterThanOrEqual(3_000);
  expect(given.every(({ attempt }) => attempt === 0)).toBe(true);
  expect(receiver.requests.length).toBeLessThanOrEqual(1 + 64);
});

test('half as many wait as the worker has places, and one account leaves room for others', async () => {
  const { handover } = await work();
  const endpoints = Array.from({ length: 2_000 }, () => probe());
  expect(rolledBack(handover, endpoints).filter(Boolean)).toHaveLength(1_280);
  const { handover: fresh } = await work();
  const tenantId = newId();
  const ofOne = Array.from({ length: 2_000 }, () => probe({ tenantId }));
  expect(rolledBack(fresh, ofOne).filter(Boolean)).toHaveLength(640);
});

test('two processes tell each event once', async () => {
  const one = await work();
  const two = await work({ pollMs: 20 });
  const { tenantId, webhookId } = await subscribed();
  const rounds = Array.from({ length: 20 }, (_, at) =>
    emit({ handover: (at % 2 === 0 ? one : two).handover, tenantId, count: 15 }),
  );
  const events = (await Promise.all(rounds)).flat();
  await hooks.settled(webhookId);
  expect(receiver.requests).toHaveLength(300);
  expect(new Set(received(receiver, events).map((each) => each.headers['webhook-id'])).size).toBe(300);
});

test('outside the sandbox what its accounts append waits', async () => {
  const { handover } = await work();
  const { tenantId, webhookId } = await subscribed();
  await hooks.db.execute('update tenants set sandbox = true where tenant_id = $1', [tenantId]);
  await emit({ handover, tenantId });
  expect(await queue(webhookId)).toEqual([{ attempt: 0, held: false }]);
  const { handover: sandbox } = await work({ sandbox: true });
  // Waiting deliveries come first.
  await hooks.settled(webhookId);
  await vi.waitFor(() => expect(takes(sandbox, { tenantId, webhookId })).toBe(true), PATIENCE);
  await emit({ handover: sandbox, tenantId });
  await hooks.settled(webhookId);
  expect(receiver.requests).toHaveLength(2);
});

test('one whose lease is nearly over goes back into the queue, to whoever claims it', async () => {
  const worker = await work();
  const { handover, tell } = delayed(worker.handover);
  const { tenantId, webhookId } = await subscribed();
  await emit({ handover, tenantId });
  // As after a machine that stood still between the commit and its answer.
  const real = Date.now;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => real() + 12_000);
  try {
    tell();
    await vi.waitFor(
      async () => expect((await queue(webhookId))[0]).not.toEqual({ attempt: 1, held: true }),
      PATIENCE,
    );
  } finally {
    clock.mockRestore();
  }
  worker.wake();
  expect(await hooks.settled(webhookId)).toMatchObject([{ status: 'delivered', attempts: 1 }]);
  expect(receiver.requests).toHaveLength(1);
});
