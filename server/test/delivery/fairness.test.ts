import { PATIENCE } from '@acuse/testkit/eventually';
import type { SmtpPeer } from '@acuse/testkit/smtp-peer';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Route } from '../../src/delivery/attempt/conversation.ts';
import type { Router } from '../../src/delivery/next-hop/router.ts';
import type { Delivery } from '../../src/delivery/worker.ts';
import { type Harness, openHarness } from './harness.ts';
import { hopTo, routerBy } from './routers.ts';

/** One tenant's flood, and what it costs another tenant's single message. */

const FLOOD = 50_000;
/** Single messages timed, one after the other, while the flood goes on. */
const SINGLES = 5;

let h: Harness;

beforeAll(async () => {
  h = await openHarness();
});
afterEach(() => h.clear());
afterAll(() => h.close());

/** Messages of one tenant in the state in which acceptance leaves them, all due, oldest first. */
async function flood(tenantId: string, to: string): Promise<void> {
  await h.db.execute(
    `with made as (
       insert into messages (tenant_id, message_id, idempotency_key, header_from, header_to, sender_address,
         recipient_address,
              reverse_path, subject, certified, status, size_bytes, created_at, next_attempt_at)
       select $1, gen_random_uuid(), i::text, 'a@sandbox.test', $2, 'a@sandbox.test', $2,
         'b+token@bounce.sandbox.test', 's', false, 'queued',
              length($3), $4::timestamptz + i * interval '1 microsecond', $4::timestamptz + i * interval '1 microsecond'
         from generate_series(1, $5::int) i
       returning tenant_id, message_id, created_at),
     contents as (
       insert into message_contents (tenant_id, message_id, raw, submission)
       select tenant_id, message_id, convert_to($3, 'UTF8'), '{}' from made)
     insert into delivery_queue (tenant_id, message_id, destination, due_at, created_at, expires_at)
     select tenant_id, message_id, split_part($2, '@', 2), created_at, created_at,
       created_at + interval '48 hours' from made`,
    [tenantId, to, 'Subject: flood\r\n\r\nHello\r\n', new Date(h.clock.now().getTime() - 60_000), FLOOD],
  );
}

function routerOf(hosts: Readonly<Record<string, SmtpPeer>>, onlyKey: string | null = null): Router {
  const find = async ({ destination }: { destination: string }): Promise<Route> => {
    const host = hosts[destination] ?? Object.values(hosts)[0]!;
    const hop = { ...hopTo(host, `mx.${destination}`), tls: { mode: 'off' } } as const;
    return { kind: 'hops', hops: [{ ...hop, tlsBy: 'configuration' }] };
  };
  return routerBy(find, { onlyKey, fixedWindow: onlyKey === null ? null : 20 });
}

/** How long a single message takes from the queue to its record, as the slowest of several. */
async function slowestSingle(worker: Delivery, to: string): Promise<number> {
  const tenantId = await h.tenant();
  let slowest = 0;
  for (let i = 0; i < SINGLES; i++) {
    const startedMs = performance.now();
    const id = await h.queue(tenantId, { to });
    worker.wake();
    await vi.waitFor(async () => expect((await h.message(id)).status).toBe('sent'), PATIENCE);
    slowest = Math.max(slowest, performance.now() - startedMs);
  }
  return slowest;
}

async function waiting(): Promise<number> {
  const [row] = await h.db.query<{ n: number }>('select count(*)::int as n from delivery_queue');
  return row!.n;
}

describe(`a tenant with ${FLOOD} waiting messages`, () => {
  test.each([
    ['to a server that takes them as fast as we can', 'fast.test', 'fast.test', null],
    ['to a server that never answers', 'stalled.test', 'fast.test', null],
    ['to the one relay that takes everything', 'fast.test', 'other.test', 'relay'],
  ] as const)(
    "%s does not hold up another tenant's single message",
    async (_, floodDomain, singleDomain, onlyKey) => {
      const hosts = {
        'fast.test': await h.peer({}, { extensions: ['PIPELINING'] }),
        'stalled.test': await h.peer({ dot: { kind: 'stall' } }),
      };
      const worker = h.work(routerOf(hosts, onlyKey), { concurrency: 400 });
      const alone = await slowestSingle(worker, 'a@fast.test');
      const before = hosts[floodDomain].messages().length;
      await flood(await h.tenant(), `x@${floodDomain}`);
      worker.wake();
      await vi.waitFor(
        () => expect(hosts[floodDomain].messages().length).toBeGreaterThanOrEqual(before + 5),
        PATIENCE,
      );
      const slowest = await slowestSingle(worker, `a@${singleDomain}`);
      // The flood was still there when the last single message went.
      expect(await waiting()).toBeGreaterThan(FLOOD / 10);
      console.info(
        `the slowest of ${SINGLES} single messages took ${Math.round(alone)} ms alone, and ${Math.round(slowest)} ms beside the flood`,
      );
    },
  );
});
