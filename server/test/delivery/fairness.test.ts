import { type SmtpPeer, startSmtpPeer } from '@acuse/testkit/smtp-peer';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Router } from '../../src/delivery/next-hop/router.ts';
import type { Delivery } from '../../src/delivery/worker.ts';
import { type Harness, openHarness, PATIENCE } from './harness.ts';

/** One tenant's flood, and what it costs another tenant's single message. */

const FLOOD = 50_000;
const LIMIT_MS = 2_000;
/** Single messages timed, one after the other, while the flood goes on. */
const SINGLES = 5;

let h: Harness;
const peers: SmtpPeer[] = [];
const workers: Delivery[] = [];

beforeAll(async () => {
  h = await openHarness();
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop(200)));
  await Promise.all(peers.splice(0).map((peer) => peer.close()));
  await h.db.execute('delete from delivery_queue');
});
afterAll(() => h.close());

async function peer(options: Parameters<typeof startSmtpPeer>[0] = {}): Promise<SmtpPeer> {
  const made = await startSmtpPeer(options);
  peers.push(made);
  return made;
}

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

function routerTo(hosts: Readonly<Record<string, SmtpPeer>>, onlyKey: string | null = null): Router {
  return {
    onlyKey,
    fixedWindow: onlyKey === null ? null : 20,
    routeOf: (item) => ({
      key: onlyKey ?? item.destination,
      find: async () => {
        const { port } = hosts[item.destination] ?? Object.values(hosts)[0]!;
        const hop = { host: `mx.${item.destination}`, address: '127.0.0.1', family: 4, port } as const;
        return { kind: 'hops', hops: [{ ...hop, tls: { mode: 'off' }, tlsBy: 'configuration' }] };
      },
    }),
  };
}

/** How long a single message takes from the queue to its record, as the slowest of several. */
async function slowestSingle(to: string): Promise<number> {
  const tenantId = await h.tenant();
  let slowest = 0;
  for (let i = 0; i < SINGLES; i++) {
    const startedMs = performance.now();
    const id = await h.queue(tenantId, { to });
    for (const worker of workers) worker.wake();
    await vi.waitFor(async () => expect((await h.message(id)).status).toBe('sent'), {
      timeout: 20_000,
      interval: 10,
    });
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
    "%s delays another tenant's single message by less than two seconds",
    async (_, floodDomain, singleDomain, onlyKey) => {
      const hosts = {
        'fast.test': await peer({ extensions: ['PIPELINING'] }),
        'stalled.test': await peer({ script: { dot: { kind: 'stall' } } }),
      };
      const worker = h.worker(routerTo(hosts, onlyKey), { concurrency: 400 });
      workers.push(worker);
      worker.start();
      const alone = await slowestSingle('a@fast.test');
      const before = hosts[floodDomain].messages().length;
      await flood(await h.tenant(), `x@${floodDomain}`);
      worker.wake();
      await vi.waitFor(
        () => expect(hosts[floodDomain].messages().length).toBeGreaterThanOrEqual(before + 5),
        PATIENCE,
      );
      const slowest = await slowestSingle(`a@${singleDomain}`);
      // The flood was still there when the last single message went.
      expect(await waiting()).toBeGreaterThan(FLOOD / 10);
      console.info(
        `the slowest of ${SINGLES} single messages took ${Math.round(alone)} ms alone, and ${Math.round(slowest)} ms beside the flood`,
      );
      expect(slowest).toBeLessThan(LIMIT_MS);
    },
    180_000,
  );
});
