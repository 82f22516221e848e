import { PATIENCE } from '@acuse/testkit/eventually';
import type { SmtpPeer } from '@acuse/testkit/smtp-peer';
import { untilLetIn } from '@acuse/testkit/until-let-in';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { pauseQueue, resumeQueue } from '../../src/delivery/operate/queue.ts';
import type { Delivery, DeliveryDeps } from '../../src/delivery/worker.ts';
import type { Handing, Handover } from '../../src/messages/prepared.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { endLeases, type Harness, openHarness } from './harness.ts';
import { routerTo } from './routers.ts';

/**
 * Messages that this process accepts go to its own worker, unclaimed and unread; a crash loses none of them.
 */

const WHY = { reason: 'a test', by: 'tester' };

let h: Harness;
let service: TestService;
let handover: Handover | null;
const waits: boolean[] = [];

beforeAll(async () => {
  h = await openHarness();
  service = await startTestService({
    databaseUrl: h.url,
    after: { onAccepted: (each) => void waits.push(each), handover: () => handover },
  });
});
beforeEach(() => {
  handover = null;
  waits.length = 0;
});
afterEach(() => h.clear());
afterAll(async () => {
  await service.stop();
  await h.close();
});

/** Shared with the service that accepts. */
const base = () => ({ sandbox: true, secrets: service.services.secrets });

/** A worker that has looked once, and will not look again by itself. */
async function workTo(peer: SmtpPeer, deps: Partial<DeliveryDeps> = {}): Promise<Delivery> {
  const worker = h.work(routerTo(peer), { ...base(), pollMs: 60_000, ...deps });
  await vi.waitFor(() => expect(isOpen(worker.handover)).toBe(true), PATIENCE);
  return worker;
}

const PROBE = {
  tenantId: '00000000-0000-4000-8000-000000000001',
  destination: 'probe.test',
  sendAt: null,
  sourcePool: null,
} as never;

function isOpen(each: Handover): boolean {
  const handing = each.open();
  const [taken] = handing.choose([PROBE]);
  handing.withdraw();
  return taken!;
}

/** Calls `between` after the commit, before the worker hears of it. */
function interrupted(each: Handover, between: (handing: Handing) => void | Promise<void>): Handover {
  return {
    open() {
      const handing = each.open();
      return { ...handing, begin: () => void between(handing) };
    },
  };
}

const row = async (messageId: string) =>
  (
    await h.db.query<{ attempt: number; held: boolean }>(
      'select attempt, leased_until is not null as held from delivery_queue where message_id = $1',
      [messageId],
    )
  )[0];

async function send(fields: object = {}): Promise<string> {
  const answer = await untilLetIn(() => service.send(fields));
  expect(answer.status).toBe(201);
  return answer.body.id;
}

test('a message begins with the commit that accepts it, and is recorded like any other', async () => {
  const peer = await h.peer();
  handover = (await workTo(peer)).handover;
  const id = await send({ certified: true });
  // Nobody looks for work: pollMs is a minute, and onAccepted wakes nobody here.
  const message = await h.attempted(id);
  expect(waits).toEqual([false]);
  expect(message).toMatchObject({ status: 'sent', attempts: 1, queued: false });
  // That it was queued is read from the message itself.
  expect(message.events.map(({ type }) => type)).toEqual(['email.sent']);
  expect(peer.messages()).toHaveLength(1);
});

test('bytes that were handed over are those that a read would give', async () => {
  const peer = await h.peer();
  handover = (await workTo(peer)).handover;
  const id = await send();
  await h.attempted(id);
  const [{ raw }] = (await h.db.query<{ raw: Buffer }>(
    'select raw from message_contents where message_id = $1',
    [id],
  )) as [{ raw: Buffer }];
  // Signatures are put before it.
  expect(String(peer.messages()[0]!.raw)).toMatch(/^DKIM-Signature:/);
  expect(String(peer.messages()[0]!.raw).endsWith(String(raw))).toBe(true);
});

test('what was committed and never begun with is sent once its lease ends', async () => {
  const peer = await h.peer();
  const worker = await workTo(peer);
  // As a process that dies here; the worker stands for another one.
  handover = interrupted(worker.handover, (handing) => handing.withdraw());
  const id = await send();
  expect(await row(id)).toEqual({ attempt: 1, held: true });
  worker.wake();
  await endLeases(h, id);
  worker.wake();
  expect(await h.attempted(id)).toMatchObject({ status: 'sent', attempts: 1 });
  expect(peer.messages()).toHaveLength(1);
});

test('another process takes nothing of it while its lease lasts', async () => {
  const peer = await h.peer();
  const other = await h.peer();
  handover = interrupted((await workTo(peer)).handover, () => {});
  const id = await send();
  const another = h.work(routerTo(other), base());
  const waiting = await service.send({}).then(({ body }) => body.id as string);
  await endLeases(h, waiting);
  await h.attempted(waiting);
  expect(other.messages()).toHaveLength(1);
  expect(await row(id)).toEqual({ attempt: 1, held: true });
  await another.stop();
});

test('a worker that is told to stop between gives it back, with no attempt counted', async () => {
  const peer = await h.peer();
  const worker = await workTo(peer);
  const stopped: Promise<void>[] = [];
  handover = interrupted(worker.handover, async (handing) => {
    stopped.push(worker.stop());
    handing.begin();
  });
  const id = await send();
  await Promise.all(stopped);
  await vi.waitFor(async () => expect(await row(id)).toEqual({ attempt: 1, held: false }), PATIENCE);
  expect(peer.messages()).toHaveLength(0);
  handover = worker.handover;
  // It takes no more.
  expect(await row(await send())).toEqual({ attempt: 0, held: false });
});

test('a commit that fails gives its room back', async () => {
  const peer = await h.peer();
  const worker = await workTo(peer, { concurrency: 2 });
  for (let each = 0; each < 5; each++) {
    const handing = worker.handover.open();
    expect(handing.choose([PROBE, PROBE])).toEqual([true, false]);
    // Tried again: the last choice counts, and books once.
    expect(handing.choose([PROBE])).toEqual([true]);
    expect(isOpen(worker.handover)).toBe(false);
    handing.withdraw();
    worker.wake();
    await vi.waitFor(() => expect(isOpen(worker.handover)).toBe(true), PATIENCE);
  }
});

test('what an account sends waits behind what it has in line, and is claimed', async () => {
  const peer = await h.peer();
  const worker = await workTo(peer);
  const older = await send();
  // The worker learns of it when it looks, or when something finds no room.
  handover = worker.handover;
  const handing = handover.open();
  const many = Array.from({ length: 400 }, () => ({ ...(PROBE as object) }) as never);
  expect(handing.choose(many).filter(Boolean).length).toBeLessThanOrEqual(200);
  expect(isOpen(handover)).toBe(false);
  handing.withdraw();
  worker.wake();
  await h.attempted(older);
  await vi.waitFor(() => expect(isOpen(worker.handover)).toBe(true), PATIENCE);
});

test.each([
  ['the account', () => ({ tenantId: service.account.tenantId })],
  ['the destination', () => ({ destination: 'sandbox.test' })],
] as const)('nothing begins while %s is paused', async (_, where) => {
  const peer = await h.peer();
  await pauseQueue(h, where(), WHY);
  try {
    handover = (await workTo(peer)).handover;
    const id = await send();
    expect(await row(id)).toEqual({ attempt: 0, held: false });
    expect(waits).toEqual([true]);
    expect(peer.messages()).toHaveLength(0);
  } finally {
    await resumeQueue(h, where());
  }
});

test('scheduled messages are on the schedule, and never begun with', async () => {
  const peer = await h.peer();
  handover = (await workTo(peer)).handover;
  const id = await send({ send_at: new Date(Date.now() + 3_600_000).toISOString() });
  expect(await row(id)).toBeUndefined();
  expect(peer.messages()).toHaveLength(0);
});

test('a large message begins too, and is read when its turn comes', async () => {
  const peer = await h.peer();
  handover = (await workTo(peer)).handover;
  const id = await send({ text: 'x'.repeat(300_000) });
  expect(await h.attempted(id)).toMatchObject({ status: 'sent' });
  expect(String(peer.messages()[0]!.raw).length).toBeGreaterThan(300_000);
});

test('hundreds at once arrive once each', async () => {
  const peer = await h.peer();
  const worker = await workTo(peer);
  handover = worker.handover;
  const ids = await Promise.all(Array.from({ length: 300 }, () => send()));
  for (const _ of ids) worker.wake();
  for (const id of ids) await h.attempted(id);
  expect(peer.messages()).toHaveLength(ids.length);
  expect(new Set(ids).size).toBe(300);
});
