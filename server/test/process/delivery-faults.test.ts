import { buildDsn } from '@acuse/mail/report/dsn';
import { connect } from '@acuse/mail/smtp/client';
import { eventually } from '@acuse/testkit/eventually';
import { freePort } from '@acuse/testkit/free-port';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Db } from '../../src/platform/database/db.ts';
import { audit, findNotDeliveredOnce } from '../support/audit.ts';
import type { PostgresProxy } from '../support/postgres-proxy.ts';
import { createProcesses, type Service } from '../support/process.ts';
import { newKey } from '../support/service.ts';

/**
 * The server killed before and after each thing that delivery writes down. Whatever was, every message comes
 * to its end; a second copy there is only where the server died between the other side's 250 and its own
 * commit. What it held is free at once when it starts again. All on one database: what is killed is started
 * again, and the sums are made at the end.
 */
const processes = createProcesses();
let proxy: PostgresProxy;
let db: Db;
let service: Service;
let returnPathPort: number;

beforeAll(async () => {
  returnPathPort = await freePort();
  ({ proxy, db, service } = await processes.startBehindProxy(environment()));
});
afterAll(processes.end);

const environment = () => ({ ACUSE_RETURN_PATH_PORT: String(returnPathPort) });

async function startAgain(): Promise<void> {
  service = await processes.start({
    databaseUrl: proxy.url,
    dataDir: service.dataDir,
    env: environment(),
  });
}

async function copiesOf(id: string): Promise<number> {
  return (await findNotDeliveredOnce(db)).get(id) ?? 1;
}

/** Waits for the end; what waits for its next attempt gets it at once. */
async function endsAs(id: string, status: string): Promise<void> {
  await eventually(async () => {
    await db.execute('update delivery_queue set due_at = now() where leased_until is null');
    return (await service.call('GET', `/v1/messages/${id}`)).body.status === status;
  });
}

async function expectNumbered(id: string): Promise<void> {
  const { attempts } = (await service.call('GET', `/v1/messages/${id}`)).body;
  const listed = (await service.call('GET', `/v1/messages/${id}/attempts`)).body.data;
  const numbers = listed.map((each: { attempt: number }) => each.attempt);
  expect(numbers).toEqual(Array.from({ length: attempts }, (_, i) => i + 1));
}

/**
 * The record, the statement that only it runs, how a message to that address ends, and its copies in the
 * mailbox.
 */
const RECORDS = [
  { what: 'sent', statement: 'delivery_delete_held', end: 'sent', copies: { before: 2, after: 1 } },
  { what: 'bounced', statement: 'delivery_delete_held', end: 'bounced', copies: { before: 0, after: 0 } },
  { what: 'deferred', statement: 'delivery_requeue_held', end: 'sent', copies: { before: 1, after: 1 } },
] as const;
const ADDRESSES = { sent: 'delivered', bounced: 'bounced', deferred: 'deferred' } as const;

const WHEN = ['before', 'after'] as const;

describe('kill -9 at the record of', () => {
  test.each(RECORDS.flatMap((record) => WHEN.map((when) => [record.what, when, record] as const)))(
    'a message that was %s, %s it',
    async (what, when, { statement, end, copies }) => {
      const broken = proxy.breakAtCommit(statement, when, service.kill9);
      const key = newKey();
      const message = { to: `${ADDRESSES[what]}+${when}@sandbox.test` };
      // The sender works beside the answer: the kill may come before it.
      await service.send(message, key).catch(() => {});
      await broken;
      await startAgain();
      const { body } = await service.send(message, key);
      await endsAs(body.id, end);
      await expectNumbered(body.id);
      expect(await copiesOf(body.id)).toBe(copies[when]);
    },
  );

  test.each(WHEN)(
    'what comes back, %s it: a report that was not answered comes again, and counts once',
    async (when) => {
      const { body } = await service.send();
      await endsAs(body.id, 'sent');
      const [row] = await db.query<{ reverse_path: string }>(
        'select reverse_path from messages where message_id = $1',
        [body.id],
      );
      const broken = proxy.breakAtCommit('return_path_end_sent', when, service.kill9);
      expect(await report(returnPathPort, row!.reverse_path)).not.toBe('accepted');
      await broken;
      await startAgain();
      expect(await report(returnPathPort, row!.reverse_path)).toBe('accepted');
      await endsAs(body.id, 'bounced');
      const events = await db.query('select 1 from events where message_id = $1 and type = $2', [
        body.id,
        'email.bounced',
      ]);
      expect(events).toHaveLength(1);
    },
  );
});

/** Offers a report of failure to the return path, as the server that could not deliver would. */
async function report(port: number, forwardPath: string): Promise<string> {
  const connected = await connect({
    host: 'return-path',
    address: '127.0.0.1',
    port,
    ehloName: 'mx.receiver.test',
    tls: { mode: 'opportunistic' },
    clock: { now: () => performance.now() },
  });
  if (connected.kind !== 'ready') return connected.kind;
  const dsn = buildDsn({
    id: 'report',
    reportingMta: 'mx.receiver.test',
    from: 'MAILER-DAEMON@mx.receiver.test',
    to: forwardPath,
    date: new Date(),
    arrivalDate: new Date(),
    original: new Uint8Array(0),
    recipients: [
      {
        finalRecipient: 'delivered@sandbox.test',
        action: 'failed',
        status: '5.2.2',
        diagnostic: 'mailbox full',
        lastAttemptAt: new Date(),
      },
    ],
  });
  const result = await connected.session.send({ reversePath: '', forwardPath, data: [dsn] });
  void connected.session.quit();
  return result.kind;
}

describe('kill -9 at the claim', () => {
  test('leased and never begun: it goes out once, when the process starts again', async () => {
    const release = proxy.stallAt('delivery_claim_due');
    const { body } = await service.send();
    await eventually(async () => {
      const [row] = await db.query<{ attempt: number }>(
        'select attempt from delivery_queue where message_id = $1',
        [body.id],
      );
      return row?.attempt === 1;
    });
    await service.kill9();
    release();
    await startAgain();
    await endsAs(body.id, 'sent');
    expect(await copiesOf(body.id)).toBe(1);
  });
});

describe('a database that goes away', () => {
  test('between the 250 and the record: what is known waits for it, and nothing is sent twice', async () => {
    for (let i = 0; i < 3; i++) {
      const broken = proxy.breakAtCommit('delivery_delete_held', 'before');
      const { body } = await service.send({ to: `delivered+${i}@sandbox.test` });
      await broken;
      await service.until(body.id, 'sent');
      expect(await copiesOf(body.id)).toBe(1);
    }
  });
});

test('after all of it every sum agrees', async () => {
  await service.stop();
  expect(await audit(db)).toEqual([]);
});
