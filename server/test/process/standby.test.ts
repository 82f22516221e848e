import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseNote } from '@acuse/evidence/note';
import { COSIGNATURE_V1, formatVerifierKey, verifierKey } from '@acuse/evidence/verifier-key';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sequenceBatch } from '../../src/evidence/log/sequence.ts';
import { createWitnessing } from '../../src/evidence/log/witnessing.ts';
import { createStampLoop } from '../../src/evidence/stamp/stamp.ts';
import type { Db } from '../../src/platform/database/db.ts';
import { sha256 } from '../../src/platform/sha256.ts';
import { mail, openSubmissionWorld, type SubmissionWorld, sendRaw } from '../messages/submission/harness.ts';
import { createProcesses } from '../support/process.ts';
import { type Answer, newKey, startTestService, type TestService } from '../support/service.ts';
import { type SynchronousPair, startSynchronousPair } from '../support/synchronous-pair.ts';

/**
 * The whole API over a primary with a real synchronous standby, which is frozen so that commits wait. No 2xx
 * may rest on what only the primary has: the standby may be the primary next.
 */
let pair: SynchronousPair;
let world: SubmissionWorld;
let service: TestService;

const BARRIER_MS = 1_000;
/** A client that was refused waits before it tries again. */
const RETRY_MS = 50;

async function open(): Promise<void> {
  world = await openSubmissionWorld({ databaseUrl: pair.url, barrierTimeoutMs: BARRIER_MS });
  service = world.service;
}

const BREAKS = ['pg_cancel_backend', 'pg_terminate_backend'] as const;

async function breakOff(by: (typeof BREAKS)[number], count = 1): Promise<void> {
  for (const pid of await pair.waiting(count)) await pair.onPrimary(`select ${by}($1)`, [pid]);
}

const sendAs = (key: string, fields: object = {}) =>
  service.send(fields, { headers: { 'idempotency-key': key } });
const stored = async (on: 'onPrimary' | 'onStandby', keys: readonly string[]): Promise<number> =>
  (await pair[on]('select count(*)::int as n from messages where idempotency_key = any ($1)', [keys]))[0].n;

function expectUnavailable(answer: Answer): void {
  expect(answer.status).toBe(503);
  expect(answer.body.error.code).toBe('unavailable');
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
}

describe('with a synchronous standby', () => {
  beforeAll(async () => {
    pair = await startSynchronousPair();
    await open();
  });
  afterAll(async () => {
    await world.stop();
    await pair.end();
  });
  afterEach(() => pair.thaw());

  test.each(BREAKS)(
    '%s on a waiting commit: no 2xx until the standby has it, then one message',
    async (by) => {
      const key = newKey();
      await pair.freeze();
      const sending = sendAs(key);
      await breakOff(by);
      const answer = await sending;
      expectUnavailable(answer);
      expect(answer.body.error.message).toMatch(/may have been accepted.*same Idempotency-Key/s);
      expect([await stored('onPrimary', [key]), await stored('onStandby', [key])]).toEqual([1, 0]);

      // A replay, and whatever else is read.
      const [{ message_id: id }] = await pair.onPrimary(
        'select message_id from messages where idempotency_key = $1',
        [key],
      );
      expectUnavailable(await sendAs(key));
      const paths = ['s', `s/${id}`, `s/${id}/events`, `s/${id}/attempts`, `s/${id}/raw`];
      for (const read of await Promise.all(paths.map((path) => service.call('GET', `/v1/message${path}`))))
        expectUnavailable(read);

      await pair.thaw();
      const again = await sendAs(key);
      expect([again.status, again.body.id]).toEqual([200, id]);
      expect([await stored('onPrimary', [key]), await stored('onStandby', [key])]).toEqual([1, 1]);
    },
  );

  test('a standby that is back in time: 201, and it is there', async () => {
    const key = newKey();
    await pair.freeze();
    const sending = sendAs(key);
    await breakOff('pg_cancel_backend');
    // The barrier of the answer.
    await pair.waiting();
    await pair.thaw();
    expect((await sending).status).toBe(201);
    expect(await stored('onStandby', [key])).toBe(1);
  });

  test('a standby that stays away: 503, and one message from the retry', async () => {
    const key = newKey();
    await pair.freeze();
    expectUnavailable(await sendAs(key));
    expectUnavailable(await sendAs(key));
    await pair.thaw();
    const again = await sendAs(key);
    expect(again.status).toBe(200);
    expect(await stored('onStandby', [key])).toBe(1);
  });

  test('a group of sends, and a batch: each in doubt, each one message in the end', async () => {
    const keys = Array.from({ length: 8 }, newKey);
    const items = keys.slice(4).map((idempotency_key) => ({
      idempotency_key,
      from: 'billing@sandbox.test',
      to: 'ana@sandbox.test',
      subject: 'Hello',
      text: 'Hello Ana',
    }));
    const batch = () => service.call('POST', '/v1/messages/batch', { body: { messages: items } });
    await pair.freeze();
    const sending = [...keys.slice(0, 4).map((key) => sendAs(key)), batch()];
    let over = false;
    const ended = Promise.all(sending).finally(() => (over = true));
    while (!over) {
      for (const { pid } of await pair.onPrimary(
        "select pid from pg_stat_activity where wait_event = 'SyncRep' and query not like '%barrier%'",
      ))
        await pair.onPrimary('select pg_cancel_backend($1)', [pid]);
      await sleep(50);
    }
    const answers = await ended;
    for (const answer of answers.slice(0, 4)) expectUnavailable(answer);
    expect(JSON.stringify(answers[4]!.body)).not.toMatch(/"status":"(created|replayed)"/);
    expect(await stored('onStandby', keys)).toBe(0);

    await pair.thaw();
    for (const key of keys.slice(0, 4)) expect([200, 201]).toContain((await sendAs(key)).status);
    const { body } = await batch();
    expect(body.created + body.replayed).toBe(4);
    expect([await stored('onPrimary', keys), await stored('onStandby', keys)]).toEqual([8, 8]);
  });

  test('submission by SMTP says 250 only for what is there, else 451', async () => {
    const content = mail();
    const count = () => pair.onStandby('select count(*)::int as n from messages').then((rows) => rows[0].n);
    const before = await count();
    const smtp = await world.session();
    await pair.freeze();
    const sending = sendRaw(smtp, content);
    await breakOff('pg_cancel_backend');
    expect(await sending).toMatch(/^451 4\.3\.0 /);
    await pair.thaw();
    expect(await sendRaw(smtp, content)).toMatch(/^250 /);
    expect(await count()).toBe(before + 1);
    smtp.end();
  });

  test('a connection that is cut after COMMIT was sent', async () => {
    const key = newKey();
    await pair.freeze();
    const sending = sendAs(key);
    await pair.waiting();
    pair.cut();
    expectUnavailable(await sending);
    await pair.thaw();
    await expect.poll(async () => (await sendAs(key)).status).toBe(200);
    expect(await stored('onStandby', [key])).toBe(1);
  });

  test('what is created, changed or deleted otherwise is in doubt too, and so is saying that it is done already', async () => {
    const body = { address: `${newKey()}@sandbox.test`, reason: 'asked' };
    const create = () => service.call('POST', '/v1/suppressions', { body });
    await pair.freeze();
    const creating = create();
    await breakOff('pg_cancel_backend');
    expectUnavailable(await creating);
    expectUnavailable(await create());
    await pair.thaw();
    expect([200, 201, 409]).toContain((await create()).status);
  });

  describe('a checkpoint whose commit was broken off', () => {
    const checkpoint = (from = service) => from.call('GET', '/log/checkpoint', { key: null });
    const sizeOf = (answer: Answer) => Number(parseNote(Buffer.from(answer.body)).text.split('\n')[1]);

    test('is not shown, cosigned or stamped until the standby has it', async () => {
      const { db, services } = service;
      expect((await service.send()).status).toBe(201);
      const shown = sizeOf(await checkpoint());
      await pair.freeze();
      const publishing = sequenceBatch(services, services.logSigner).catch((error) => error);
      await breakOff('pg_cancel_backend');
      expect(await publishing).toMatchObject({ code: '40003' });
      const [{ size }] = await pair.onPrimary('select max(tree_size)::int as size from checkpoints');
      expect(size).toBeGreaterThan(shown);

      // Longer than an answer is kept.
      await sleep(1_100);
      expect(sizeOf(await checkpoint())).toBe(shown);
      const rest = size % 256 === 0 ? '' : `.p/${size % 256}`;
      for (const tile of ['0', 'entries'])
        expect((await service.call('GET', `/log/tile/${tile}/000${rest}`, { key: null })).status).toBe(404);
      expect((await service.call('GET', `/log/certificates/${size}`, { key: null })).status).toBe(404);

      const asked: string[] = [];
      const refuse = (name: string) => async () => {
        asked.push(name);
        return { kind: 'failed' as const, reason: 'not in this test', retryAt: null };
      };
      const log = { error: () => {}, warn: () => {} };
      const stamps = createStampLoop({
        ...{ db, log, random: () => 0, clock: services.clock },
        authorities: { obtain: refuse('authority') } as never,
        logOf: async () => services.logSigner,
        pollMs: 20,
      });
      stamps.start();
      // Its claim waits, and is broken off as well.
      await breakOff('pg_cancel_backend');
      await pair.waiting();
      expect(asked).toEqual([]);

      await pair.thaw();
      await expect.poll(async () => sizeOf(await checkpoint())).toBe(size);
      await stamps.stop();
      expect((await service.call('GET', `/log/tile/0/000${rest}`, { key: null })).status).toBe(200);
      await pair.onPrimary('update stamp_queue set due_at = now()');
    });

    test('is not taken to a witness, claimed before it was there', async () => {
      const { db, services } = service;
      expect((await service.send()).status).toBe(201);
      let asked = 0;
      const listener = createServer((socket) => {
        asked++;
        socket.destroy();
      });
      listener.listen(0, '127.0.0.1');
      await once(listener, 'listening');
      const { port } = listener.address() as { port: number };
      const key = verifierKey('witness.test/w', randomBytes(32), sha256, COSIGNATURE_V1);
      // Where it shows what it has, nobody answers.
      const shown = { monitoringUrl: 'http://127.0.0.1:1' };
      const witness = { url: `http://127.0.0.1:${port}`, ...shown, key, vkey: formatVerifierKey(key) };
      let appeared: Promise<void> | null = null;
      async function appear(): Promise<void> {
        await pair.freeze();
        const publishing = sequenceBatch(services, services.logSigner).catch(() => {});
        await breakOff('pg_cancel_backend');
        await publishing;
      }
      function beforehand(): Promise<void> {
        appeared ??= appear();
        return appeared;
      }
      const reads = /^find_(newest_checkpoint|checkpoint_after)$/;
      const late: Db = {
        ...db,
        query: async (text, values, name) => {
          if (reads.test(name ?? '')) await beforehand();
          return db.query(text, values, name);
        },
        transact: async (work) => {
          await beforehand();
          return db.transact(work);
        },
      };
      const log = { error: () => {}, warn: () => {} };
      const witnessing = createWitnessing({
        ...{ db: late, log, logSigner: services.logSigner, clock: services.clock, pollMs: 20 },
        ...{ witnesses: { list: [witness], quorum: 0 }, random: () => 0, changes: services.changes },
      });
      witnessing.start();
      try {
        await expect.poll(() => appeared !== null).toBe(true);
        await appeared;
        // The question to the witness waits for the standby.
        await pair.waiting();
        expect(asked).toBe(0);
        await pair.thaw();
        await expect.poll(() => asked).toBeGreaterThan(0);
      } finally {
        await pair.thaw();
        await witnessing.stop();
        listener.close();
      }
    });

    test('is not shown by a process that has shown none yet', async () => {
      expect((await service.send()).status).toBe(201);
      const other = await startTestService({ databaseUrl: pair.url, barrierTimeoutMs: BARRIER_MS });
      try {
        await pair.freeze();
        expectUnavailable(await checkpoint(other));
        await pair.thaw();
        expect((await checkpoint(other)).status).toBe(200);
      } finally {
        await pair.thaw();
        await other.stop();
      }
    });
  });
});

describe('a primary that freezes', () => {
  beforeAll(async () => {
    pair = await startSynchronousPair();
    world = await openSubmissionWorld({ databaseUrl: pair.hosts, barrierTimeoutMs: BARRIER_MS });
    service = world.service;
  });
  afterAll(async () => {
    await world.stop();
    await pair.end();
  });

  test('under load: 503 with Retry-After until the standby is promoted, and after its thaw nothing rests on it', async () => {
    const answered: string[] = [];
    const other: Answer[] = [];
    let stop = false;
    const send = async () => {
      while (!stop) {
        const key = newKey();
        const answer = await sendAs(key);
        if (answer.status < 300) answered.push(key);
        else {
          other.push(answer);
          await sleep(RETRY_MS);
        }
      }
    };
    const senders = Array.from({ length: 4 }, send);
    await expect.poll(() => answered.length).toBeGreaterThan(20);
    pair.suspendPrimary();
    await sleep(1_000);
    const before = answered.length;
    await pair.promote();
    await expect.poll(() => answered.length).toBeGreaterThan(before + 20);
    pair.resumePrimary();
    // Longer than a look at all hosts takes.
    await sleep(3_000);
    const thawed = answered.length;
    await expect.poll(() => answered.length).toBeGreaterThan(thawed + 20);
    stop = true;
    await Promise.all(senders);
    for (const each of other) expectUnavailable(each);
    expect(await stored('onStandby', answered)).toBe(answered.length);
    const late = answered.slice(before + 4);
    expect(await stored('onPrimary', late)).toBe(0);
  });
});

describe('a primary that ends', () => {
  beforeAll(async () => {
    pair = await startSynchronousPair();
    await open();
  });
  afterAll(async () => {
    await world.stop();
    await pair.end();
  });

  test('by a crash: what only it has shows up when it is back, and is not answered with', async () => {
    const key = newKey();
    await pair.freeze();
    const sending = sendAs(key);
    await pair.waiting();
    await pair.killPrimary();
    expectUnavailable(await sending);
    await pair.restartPrimary();
    expect([await stored('onPrimary', [key]), await stored('onStandby', [key])]).toEqual([1, 0]);
    expectUnavailable(await sendAs(key));
    await pair.thaw();
    expect((await sendAs(key)).status).toBe(200);
    expect(await stored('onStandby', [key])).toBe(1);
  });

  test('by a fast shutdown while a commit waits', async () => {
    const key = newKey();
    await pair.freeze();
    const sending = sendAs(key);
    await pair.waiting();
    pair.stopPrimary();
    expectUnavailable(await sending);
    await pair.killPrimary();
    await pair.restartPrimary();
    expectUnavailable(await sendAs(key));
    await pair.thaw();
    expect((await sendAs(key)).status).toBe(200);
  });

  test('by kill -9 under load, with waits broken off all the while: the standby has all that was answered 2xx, and takes more', async () => {
    const answered: string[] = [];
    let stop = false;
    const send = async () => {
      while (!stop) {
        const key = newKey();
        if ((await sendAs(key)).status < 300) answered.push(key);
        else await sleep(RETRY_MS);
      }
    };
    const senders = Array.from({ length: 8 }, send);
    const break1 = async () => {
      while (!stop) {
        const [row] = await pair
          .onPrimary("select pid from pg_stat_activity where wait_event = 'SyncRep' limit 1")
          .catch(() => []);
        if (row !== undefined)
          await pair.onPrimary(`select ${BREAKS[row.pid % 2]}($1)`, [row.pid]).catch(() => {});
        await sleep(20);
      }
    };
    const breaking = break1();
    await expect.poll(() => answered.length).toBeGreaterThan(50);
    await pair.freeze();
    await pair.waiting();
    // Long enough for what was broken off to be looked up again.
    await sleep(1_000);
    await pair.killPrimary();
    await pair.promote();
    const before = answered.length;
    await expect.poll(() => answered.length).toBeGreaterThan(before + 20);
    stop = true;
    await Promise.all([...senders, breaking]);
    expect(await stored('onStandby', answered)).toBe(answered.length);
  });
});

describe('a failover under a whole server', () => {
  beforeAll(async () => {
    pair = await startSynchronousPair();
  });
  afterAll(() => pair.end());

  test('hands over nothing of a message that it undoes, and the retry of that', async () => {
    const processes = createProcesses();
    try {
      const server = await processes.start({ databaseUrl: pair.url });
      const mailed = (on: 'onPrimary' | 'onStandby', key: string) =>
        pair[on](
          `select s.mail_id from sandbox_mail s join messages m using (reverse_path) where m.idempotency_key = $1`,
          [key],
        );
      const [first, second] = [newKey(), newKey()];
      expect((await server.send({}, first)).status).toBe(201);
      await expect.poll(() => mailed('onStandby', first)).toHaveLength(1);

      await pair.freeze();
      const sending = server.send({}, second);
      let over = false;
      const ended = sending.finally(() => (over = true));
      // Every wait there is: of the message, of claims, of barriers.
      while (!over) {
        for (const { pid } of await pair.onPrimary(
          "select pid from pg_stat_activity where wait_event = 'SyncRep'",
        ))
          await pair.onPrimary('select pg_cancel_backend($1)', [pid]);
        await sleep(20);
      }
      expect((await ended).status).toBe(503);
      expect([await stored('onPrimary', [second]), await mailed('onPrimary', second)]).toEqual([1, []]);
      await pair.killPrimary();
      await pair.promote();
      expect(await stored('onStandby', [second])).toBe(0);
      await expect
        .poll(async () => (await server.send({}, second)).status, { interval: 500 })
        .toBeLessThan(300);
      await expect.poll(() => mailed('onStandby', second)).toHaveLength(1);
      expect(await mailed('onStandby', first)).toHaveLength(1);
    } finally {
      await processes.end();
    }
  });
});

describe('a URL with both hosts, the standby first', () => {
  const processes = createProcesses();
  beforeAll(async () => {
    pair = await startSynchronousPair();
  });
  afterAll(async () => {
    await processes.end();
    await pair.end();
  });

  test('serves from the primary, and from the other one after kill -9 under load, without a restart', async () => {
    const server = await processes.start({ databaseUrl: pair.hosts });
    const answered: string[] = [];
    const other = new Set<number>();
    let stop = false;
    const send = async () => {
      for (let key = newKey(); !stop; ) {
        // As a client library does: the same key until it is known.
        const { status } = await server.send({ certified: true }, key);
        if (status < 300) {
          answered.push(key);
          key = newKey();
        } else {
          other.add(status);
          await sleep(RETRY_MS);
        }
      }
    };
    const senders = Array.from({ length: 6 }, send);
    await expect.poll(() => answered.length).toBeGreaterThan(50);
    await pair.killPrimary();
    const before = answered.length;
    await pair.promote();
    await expect.poll(() => answered.length).toBeGreaterThan(before + 50);
    stop = true;
    await Promise.all(senders);
    expect(await stored('onStandby', answered)).toBe(answered.length);
    expect([...other].filter((status) => status !== 503)).toEqual([]);
    // Its workers went along too. What the mailbox, on the same database, deferred comes minutes later.
    for (const queue of ['pending_leaves', 'stamp_queue', 'delivery_queue where attempt = 0'])
      await expect.poll(async () => (await pair.onStandby(`select from ${queue}`)).length).toBe(0);
  });
});
