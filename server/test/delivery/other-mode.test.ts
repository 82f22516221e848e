import { PATIENCE } from '@acuse/testkit/eventually';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { countHeld } from '../../src/delivery/claim/claim-store.ts';
import type { Router } from '../../src/delivery/next-hop/router.ts';
import { showMessage } from '../../src/delivery/operate/queue.ts';
import { type Harness, openHarness } from './harness.ts';

/** Mail and the mode that it was accepted in: no process of the other mode ever asks where it would go. */
let h: Harness;
beforeAll(async () => {
  h = await openHarness();
});
afterEach(() => h.clear());
afterAll(() => h.close());

/** Notes whom it was asked for; sends nobody anywhere. */
function asked(): Router & { readonly recipients: string[] } {
  const recipients: string[] = [];
  return {
    recipients,
    onlyKey: null,
    fixedWindow: null,
    routeOf(item) {
      recipients.push(item.recipientAddress);
      const fact = { kind: 'routing', problem: 'loop', detail: 'asked' } as const;
      return { key: item.destination, find: async () => ({ kind: 'nowhere', fact }) };
    },
  };
}

async function queued(acceptedInSandbox: boolean, to: string): Promise<string> {
  const id = await h.queue(await h.tenant(), { to });
  await h.db.execute('update messages set sandbox = $2 where message_id = $1', [id, acceptedInSandbox]);
  return id;
}

test.each([
  ['accepted in the sandbox, is never routed to the world', true, /only to the test mailbox: it is held/],
  ['accepted for the world, never gets to the test mailbox', false, /the test mailbox never gets it/],
])(
  'mail that was %s: it is held, says why, and goes its way when its mode runs again',
  async (_, acceptedInSandbox, why) => {
    const held = await queued(acceptedInSandbox, 'held@other.test');
    const own = await queued(!acceptedInSandbox, 'own@other.test');
    const other = asked();
    const worker = h.work(other, { sandbox: !acceptedInSandbox });
    await vi.waitFor(async () => expect((await h.message(own)).status).toBe('bounced'), PATIENCE);
    await vi.waitFor(async () => {
      const shown = await showMessage({ db: h.db, clock: h.clock }, held);
      expect(shown.why[0]).toMatch(why);
    }, PATIENCE);
    expect(other.recipients).toEqual(['own@other.test']);
    expect(await h.message(held)).toMatchObject({ status: 'queued', attempts: 0, queued: true });
    expect(await countHeld(h.db, !acceptedInSandbox, 10)).toEqual({ held: 1, more: false });
    await worker.stop(0);

    const right = asked();
    h.work(right, { sandbox: acceptedInSandbox });
    await vi.waitFor(async () => expect((await h.message(held)).status).toBe('bounced'), PATIENCE);
    expect(right.recipients).toEqual(['held@other.test']);
  },
);

test('held mail that was suppressed meanwhile is not ended by the other mode; when its time is over it expires', async () => {
  const id = await queued(true, 'late@other.test');
  const router = asked();
  h.clock.forward(0);
  h.work(router, { sandbox: false });
  h.clock.forward(49 * 3_600_000);
  await vi.waitFor(async () => expect((await h.message(id)).status).toBe('bounced'), PATIENCE);
  expect((await h.message(id)).events.at(-1)!.data).toMatchObject({ bounce_type: 'expired' });
  expect(router.recipients).toEqual([]);
});
