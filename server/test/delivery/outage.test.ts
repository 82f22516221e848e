import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, PATIENCE } from '@acuse/testkit/eventually';
import { createGate } from '@acuse/testkit/https-receiver';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Db } from '../../src/platform/database/db.ts';
import { isLocalCode } from '../../src/platform/local-fault.ts';
import { SealedSecretError } from '../../src/platform/secrets.ts';
import { type Harness, openHarness } from './harness.ts';
import { hopTo, routerBy, routerTo } from './routers.ts';

/** Sends, and their blame, while this machine or its database cannot do its part. */

let h: Harness;
let tenantId: string;

beforeAll(async () => {
  h = await openHarness();
  tenantId = await h.tenant();
});
afterEach(() => h.clear());
afterAll(() => h.close());

/** The database, away for a part of its callers while told to be. */
function breakable() {
  const gone = () => Object.assign(new Error('Connection terminated unexpectedly'), { code: '57P01' });
  const state = { recording: false, reading: false, refused: 0 };
  const db: Db = {
    ...h.db,
    async transact(act) {
      if (!state.recording) return h.db.transact(act);
      state.refused++;
      throw gone();
    },
    query: (text, values, name) =>
      state.reading && name === 'delivery_load_raw' ? Promise.reject(gone()) : h.db.query(text, values, name),
  };
  return { db, state };
}

const attemptsOf = async (ids: readonly string[]) =>
  h.db.query<{ status: string; attempts: number }>(
    'select status, attempts, last_reply from messages where message_id = any ($1)',
    [ids],
  );

describe('while results cannot be written', () => {
  const MESSAGES = 300;

  test('sending stops: no more goes out than was under way, and all of it once', async () => {
    const { db, state } = breakable();
    const good = await h.peer();
    const ids: string[] = [];
    for (let at = 0; at < MESSAGES; at++)
      ids.push(await h.queue(tenantId, { to: `u${at}@d${at % 30}.test` }));
    state.recording = true;
    h.work(routerTo(good), { db });
    await vi.waitFor(() => expect(good.messages().length).toBeGreaterThan(0), PATIENCE);
    // Until what was under way has ended: no more comes between several looks for work.
    const counts: number[] = [];
    await eventually(async () => {
      await sleep(300);
      counts.push(good.messages().length);
      return counts.length > 3 && counts.at(-1) === counts.at(-4);
    });
    // A first window of each destination was under way when the first record failed; nothing came after it.
    expect(counts.at(-1)).toBeLessThanOrEqual(30 * 5);
    state.recording = false;
    await vi.waitFor(
      async () => expect((await attemptsOf(ids)).every(({ status }) => status === 'sent')).toBe(true),
      PATIENCE,
    );
    expect(good.messages()).toHaveLength(MESSAGES);
    expect((await attemptsOf(ids)).every(({ attempts }) => attempts === 1)).toBe(true);
  });

  test('a conversation under way waits before the end of its data', async () => {
    const { db, state } = breakable();
    const go = createGate();
    const [quick, slow] = [
      await h.peer(),
      await h.peer({ data: { kind: 'hold', until: go.until, bytes: '354 go on\r\n' } }),
    ];
    const held = await h.queue(tenantId, { to: 'a@slow.test' });
    h.work(routerTo({ 'slow.test': slow, 'quick.test': quick }), { db });
    await vi.waitFor(() => expect(slow.sessions[0]?.counts.get('data')).toBe(1), PATIENCE);
    state.recording = true;
    const first = await h.queue(tenantId, { to: 'a@quick.test' });
    await vi.waitFor(() => expect(quick.messages()).toHaveLength(1), PATIENCE);
    await eventually(() => state.refused > 0);
    go.open();
    await sleep(500);
    expect(slow.messages()).toEqual([]);
    state.recording = false;
    await vi.waitFor(
      async () =>
        expect((await attemptsOf([held, first])).map(({ status }) => status)).toEqual(['sent', 'sent']),
      PATIENCE,
    );
    expect([quick.messages().length, slow.messages().length]).toEqual([1, 1]);
  });
});

describe('no attempt is counted, and nothing held against the recipient, when', () => {
  async function untouched(id: string): Promise<void> {
    const message = await h.message(id);
    expect(message).toMatchObject({ status: 'queued', attempts: 0, deferred_at: null, queued: true });
    expect([message.events, message.attemptRows, message.reports]).toEqual([[], [], []]);
  }

  test('the database does not give the message', async () => {
    const { db, state } = breakable();
    const good = await h.peer();
    state.reading = true;
    const id = await h.queue(tenantId, { to: 'a@good.test' });
    const released = vi.fn();
    h.work(routerTo(good), { db, onRecorded: released });
    await vi.waitFor(() => expect(released).toHaveBeenCalled(), PATIENCE);
    expect(released.mock.calls[0]![0]).toMatchObject({ kind: 'released' });
    await untouched(id);
    state.reading = false;
    await vi.waitFor(async () => expect((await h.message(id)).status).toBe('sent'), PATIENCE);
  });

  test.each([
    ['no file descriptor is left', Object.assign(new Error('socket EMFILE'), { code: 'EMFILE' })],
    ['the disk is full', Object.assign(new Error('could not extend file'), { code: '53100' })],
    ['the master key is missing', new SealedSecretError('no master key opens the secret')],
  ])('%s', async (_what, fault) => {
    const good = await h.peer();
    let faulty = true;
    const router = routerBy(async () => {
      if (faulty) throw fault;
      return { kind: 'hops', hops: [hopTo(good, 'mx.good.test')] };
    });
    const id = await h.queue(tenantId, {
      to: 'a@good.test',
      createdAt: new Date(Date.now() - 47.9 * 3_600_000),
    });
    const released = vi.fn();
    h.work(router, { onRecorded: released });
    await vi.waitFor(() => expect(released).toHaveBeenCalled(), PATIENCE);
    expect(released.mock.calls[0]![0]).toMatchObject({ kind: 'released' });
    await untouched(id);
    // Its time ran out meanwhile: it still gets the attempt that it was owed.
    await h.db.execute(
      "update delivery_queue set expires_at = now() - interval '1 hour' where message_id = $1",
      [id],
    );
    faulty = false;
    h.clock.forward(10_000);
    await vi.waitFor(async () => expect((await h.message(id)).status).toBe('sent'), PATIENCE);
  });

  test('this machine lacks the address that it should be sent from', async () => {
    const good = await h.peer();
    let localAddress: string | null = '192.0.2.1';
    const router = routerBy(async () => {
      const source = { ehloName: 'mail.test', localAddress };
      return { kind: 'hops', hops: [{ ...hopTo(good, 'mx.good.test'), source }] };
    });
    const id = await h.queue(tenantId, { to: 'a@good.test' });
    const released = vi.fn();
    h.work(router, { onRecorded: released });
    await vi.waitFor(() => expect(released).toHaveBeenCalled(), PATIENCE);
    expect(released.mock.calls[0]![0]).toMatchObject({ kind: 'released' });
    await untouched(id);
    expect(good.sessions).toEqual([]);
    localAddress = null;
    h.clock.forward(10_000);
    await vi.waitFor(async () => expect((await h.message(id)).status).toBe('sent'), PATIENCE);
  });

  test('we stop while the way to its host is looked up', async () => {
    const good = await h.peer();
    let found: () => void = () => {};
    const looking = new Promise<void>((resolve) => {
      found = resolve;
    });
    const asked = vi.fn();
    const id = await h.queue(tenantId, { to: 'a@good.test' });
    const worker = h.work(
      routerBy(async () => {
        asked();
        await looking;
        return { kind: 'hops', hops: [hopTo(good, 'mx.good.test')] };
      }),
    );
    await vi.waitFor(() => expect(asked).toHaveBeenCalled(), PATIENCE);
    const stopped = worker.stop(50);
    setTimeout(found, 200);
    await stopped;
    await untouched(id);
    const [row] = await h.db.query('select leased_until from delivery_queue where message_id = $1', [id]);
    expect(row).toEqual({ leased_until: null });
  });
});

describe('a code of the operating system', () => {
  test.each([
    ['EMFILE', true, true],
    ['ENFILE', true, true],
    ['ENOBUFS', true, true],
    ['EADDRNOTAVAIL', true, true],
    ['ENETDOWN', true, true],
    ['ENETUNREACH', false, true],
    ['ENETUNREACH', true, false],
    ['ECONNREFUSED', false, false],
    ['ECONNRESET', false, false],
    ['timeout', false, false],
  ])('%s, with a network: %s: is ours: %s', (code, network, ours) => {
    expect(isLocalCode(code, () => network)).toBe(ours);
  });
});
