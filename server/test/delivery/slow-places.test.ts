import { PATIENCE } from '@acuse/testkit/eventually';
import { createGate } from '@acuse/testkit/https-receiver';
import type { PeerScript, SmtpPeer } from '@acuse/testkit/smtp-peer';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { SLOW_AFTER_MS } from '../../src/delivery/claim/places.ts';
import { type Harness, openHarness } from './harness.ts';
import { hopTo, routerBy } from './routers.ts';

/** Accounts whose destinations hang, and what they leave to another. */

const PLACES = 40;
const HANGING_ACCOUNTS = 5;
/** Of each such account, all to different destinations: far more than it can hold. */
const HANGING = 60;
/** Conversations that the other account has at once, in the end. */
const AT_ONCE = 30;
const TURNS = 8;

let h: Harness;

beforeAll(async () => {
  h = await openHarness();
});
afterEach(() => h.clear());
afterAll(() => h.close());

const NEVER_MS = 3_600_000;
const STALL = { kind: 'stall' } as const;

/** Conversations that have come so far to a server that takes none of them on. */
const come = (peer: SmtpPeer) => peer.sessions.length;

describe(`${HANGING_ACCOUNTS} accounts with mail to many servers that hang`, () => {
  test.each<[string, PeerScript]>([
    ['before they greet', { banner: STALL }],
    ['at the end of a message, where no attempt can be broken off', { dot: STALL }],
  ])('%s leave the places to another', async (_, script) => {
    const hanging = await h.peer(script);
    const gate = createGate();
    const good = await h.peer({ dot: { kind: 'hold', until: gate.until, bytes: '250 2.0.0 ok\r\n' } });
    const router = routerBy(async ({ destination }) => {
      const hop = hopTo(destination.startsWith('good') ? good : hanging, `mx.${destination}`);
      return { kind: 'hops', hops: [{ ...hop, tls: { mode: 'off' } }] };
    });
    const accounts = await Promise.all(Array.from({ length: HANGING_ACCOUNTS }, () => h.tenant()));
    for (let at = 0; at < HANGING; at++)
      await Promise.all(accounts.map((account, of) => h.queue(account, { to: `a@hangs-${of}-${at}.test` })));
    // No attempt ends by itself.
    const timeouts = { bannerMs: NEVER_MS, openingMs: NEVER_MS, dotMs: NEVER_MS };
    const worker = h.work(router, { concurrency: PLACES, timeouts });
    await vi.waitFor(() => expect(come(hanging)).toBeGreaterThan(PLACES * 0.9), PATIENCE);
    expect(come(hanging)).toBeLessThanOrEqual(PLACES);

    const other = await h.tenant();
    const ids = await Promise.all(
      Array.from({ length: AT_ONCE }, (_none, at) => h.queue(other, { to: `a@good-${at}.test` })),
    );
    worker.wake();
    // Each time, what has been under way since the last one is slow by now.
    for (let turn = 0; turn < TURNS && good.sessions.length < AT_ONCE; turn++) {
      const before = good.sessions.length;
      h.clock.forward(SLOW_AFTER_MS);
      await vi.waitFor(() => expect(good.sessions.length).toBeGreaterThan(before), PATIENCE);
    }
    await vi.waitFor(() => expect(good.sessions).toHaveLength(AT_ONCE), PATIENCE);
    // Those that hang hold their share of slow ones, and what was begun before it was known.
    expect(come(hanging)).toBeLessThanOrEqual(3 * PLACES);
    gate.open();
    await vi.waitFor(async () => {
      const states = await Promise.all(ids.map((id) => h.message(id)));
      expect(states.map(({ status }) => status)).toEqual(ids.map(() => 'sent'));
    }, PATIENCE);
    expect(come(hanging)).toBeLessThanOrEqual(3 * PLACES);
  });
});
