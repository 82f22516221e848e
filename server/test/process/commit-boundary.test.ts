import { eventually } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Db } from '../../src/platform/database/db.ts';
import { audit, findNotDeliveredOnce } from '../support/audit.ts';
import type { PostgresProxy } from '../support/postgres-proxy.ts';
import { createProcesses, type Service } from '../support/process.ts';
import { newKey } from '../support/service.ts';

/**
 * Every commit on a message's way, broken at its edge: before PostgreSQL sees it and after, with the server
 * killed and with only its connection cut. Whatever the case, afterwards there is one message, counted once,
 * on one way. All on one database: what is killed is started again, and the sums are made at the end.
 */
const processes = createProcesses();
let proxy: PostgresProxy;
let db: Db;
let service: Service;

beforeAll(async () => {
  ({ proxy, db, service } = await processes.startBehindProxy());
});
afterAll(processes.end);

/** Another server than the one that was killed: it holds nothing that the other held. */
async function startNext(): Promise<void> {
  service = await processes.start({ databaseUrl: proxy.url });
}

async function countOf(key: string): Promise<number> {
  return (await db.query('select from messages where idempotency_key = $1', [key])).length;
}

/** The commits behind a send, by a statement that only they run. */
const BACKGROUND = ['delivery_insert_attempts', 'insert_leaves', 'insert_stamp'];
const QUEUES = ['delivery_queue', 'pending_leaves', 'stamp_queue'];

/** Until nothing is under way: the next break is at what the next send does. */
async function untilQuiet(): Promise<void> {
  await eventually(async () => {
    for (const queue of QUEUES) if ((await db.query(`select from ${queue}`)).length > 0) return false;
    return true;
  });
}

/** As if the lease had passed for which a server that was killed still holds what it had claimed. */
async function endLeases(): Promise<void> {
  for (const queue of ['delivery_queue', 'stamp_queue'])
    await db.execute(
      `update ${queue} set due_at = now(), leased_until = now() where leased_until is not null`,
    );
}

const isSealed = (id: string) => async () =>
  (await service.call('GET', `/v1/messages/${id}`)).body.sealed_at !== null;

describe('kill -9 at the commit of a send', () => {
  test.each([
    ['before', 0],
    ['after', 1],
  ] as const)(
    '%s it: %i message, never answered; the same key then makes or finds exactly one',
    async (when, stored) => {
      const key = newKey();
      const broken = proxy.breakAtCommit('accept_insert_messages', when, service.kill9);
      const answer = service.send({}, key).catch((error: Error) => error);
      await broken;
      expect(await answer).toBeInstanceOf(Error);
      expect(await countOf(key)).toBe(stored);

      await endLeases();
      await startNext();
      const retried = await service.send({}, key);
      expect(retried.status).toBe(stored === 1 ? 200 : 201);
      expect(retried.headers.get('idempotent-replayed')).toBe(stored === 1 ? 'true' : null);
      expect((await service.send({}, key)).body.id).toBe(retried.body.id);
      expect(await countOf(key)).toBe(1);
    },
  );
});

describe('a connection that breaks at the commit of a send', () => {
  test('before it: the send is refused as unavailable and nothing is stored', async () => {
    const key = newKey();
    const broken = proxy.breakAtCommit('accept_insert_messages', 'before');
    const answer = await service.send({}, key);
    await broken;
    expect(answer).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
    expect(await countOf(key)).toBe(0);
    expect((await service.send({}, key)).status).toBe(201);
  });

  test('after it: the server looks what became of it and answers with the message', async () => {
    const key = newKey();
    const broken = proxy.breakAtCommit('accept_insert_messages', 'after');
    const answer = await service.send({}, key);
    await broken;
    expect(answer.status).toBe(201);
    expect((await service.send({}, key)).body.id).toBe(answer.body.id);
    expect(await countOf(key)).toBe(1);
  });
});

describe('the commits behind a send', () => {
  test('cut before and after each of them: every message is sent and sealed once all the same', async () => {
    const ids: string[] = [];
    for (const statement of BACKGROUND) {
      for (const when of ['before', 'after'] as const) {
        await untilQuiet();
        const broken = proxy.breakAtCommit(statement, when);
        const { body } = await service.send();
        ids.push(body.id);
        await broken;
        await eventually(isSealed(body.id));
        await service.until(body.id, 'sent');
      }
    }
    const notOnce = await findNotDeliveredOnce(db);
    expect(ids.filter((id) => notOnce.has(id))).toEqual([]);
  });

  test('kill -9 after each of them: the next server starts from what was written', async () => {
    for (const statement of BACKGROUND) {
      await untilQuiet();
      const broken = proxy.breakAtCommit(statement, 'after', service.kill9);
      const key = newKey();
      // Sender and sealer work beside the answer: the kill may come before it.
      await service.send({}, key).catch(() => {});
      await broken;
      await endLeases();
      await startNext();
      const { body } = await service.send({}, key);
      await eventually(isSealed(body.id));
      expect(await countOf(key)).toBe(1);
    }
  });
});

describe("kill -9 at the commit of a recipient's acknowledgement", () => {
  async function asked(): Promise<{ id: string; token: string; code: string }> {
    const to = `luis-${newKey()}@sandbox.test`;
    const { body } = await service.send({ to, certified: true, acknowledgement: 'request' });
    await service.until(body.id, 'sent');
    const [row] = await db.query<{ raw: Buffer }>('select raw from message_contents where message_id = $1', [
      body.id,
    ]);
    const [, token = ''] = /\/a\/([a-z2-7]{26})/.exec(row!.raw.toString('latin1').replaceAll('=\r\n', ''))!;
    const form = { method: 'POST', redirect: 'manual', body: new URLSearchParams() } as const;
    expect((await fetch(`${service.baseUrl}/a/${token}/code`, form)).status).toBe(303);
    const [mail] = await db.query<{ subject: string }>(
      `select subject from messages where recipient_address = $1 and sender_address like 'portal@%'`,
      [to],
    );
    return { id: body.id, token, code: /\d{8}/.exec(mail!.subject)![0] };
  }

  const press = (token: string, code: string) =>
    fetch(`${service.baseUrl}/a/${token}`, {
      ...{ method: 'POST', redirect: 'manual' },
      body: new URLSearchParams({ code, name: 'Luis', tick: 'yes', act: 'acknowledged' }),
    });

  test.each(['before', 'after'] as const)('%s it: pressed again, it is given once', async (when) => {
    const { id, token, code } = await asked();
    await untilQuiet();
    const broken = proxy.breakAtCommit('acknowledgement_decide', when, service.kill9);
    const answer = await Promise.all([press(token, code).catch((error: Error) => error), broken]);
    expect(answer[0]).toBeInstanceOf(Error);
    await startNext();
    expect((await press(token, code)).status).toBe(303);
    await untilQuiet();
    const { body } = await service.call('GET', `/v1/messages/${id}`);
    expect(body.acknowledgement).toMatchObject({ status: 'acknowledged', source: 'recipient_page' });
    const events = (await service.call('GET', `/v1/messages/${id}/events`)).body.data;
    expect(events.filter(({ type }: { type: string }) => type.startsWith('ack'))).toHaveLength(1);
    // Its own, and that it was sent and acknowledged: all are in the log.
    const leaves = await db.query('select from leaves where message_id = $1', [id]);
    const contents = await db.query(`select from leaf_contents where message_id = $1 and kind = 'delivery'`, [
      id,
    ]);
    expect([leaves.length, contents.length]).toEqual([3, 2]);
  });
});

describe('kill -9 at the commits of a send that a person approves', () => {
  let agent: string;
  let approve: Awaited<ReturnType<typeof signIn>>;
  beforeAll(async () => {
    approve = await signIn();
    const asking = { name: 'agent', scopes: ['messages:send'], needs_approval: true };
    agent = (await service.call('POST', '/v1/api-keys', asking)).body.key;
  });

  const send = (key: string) =>
    service.call(
      'POST',
      '/v1/messages',
      { from: 'billing@sandbox.test', to: `ana-${key}@sandbox.test`, subject: 'Invoice', text: 'Hello' },
      { authorization: `Bearer ${agent}`, 'idempotency-key': key },
    );

  /** The id of what waits. */
  async function ask(key: string): Promise<string> {
    const { status, body } = await send(key);
    expect([status, body.error?.code]).toEqual([403, 'approval_required']);
    return body.error.message.slice(body.error.message.lastIndexOf('/') + 1);
  }

  /** Somebody at the portal of the server that runs, once. */
  async function signIn() {
    const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
    const of = (path: string) => `${service.baseUrl}/v1/portal${path}`;
    const link = service.sandbox.portal_sign_in!.split('#')[1];
    const signedIn = await fetch(of('/session'), { method: 'POST', headers, body: JSON.stringify({ link }) });
    const cookie = signedIn.headers.get('set-cookie')!.split(';', 1)[0]!;
    const get = (path: string) => fetch(of(path), { headers: { cookie } });
    return async (id: string) => {
      const { content } = await (await get(`/approvals/${id}`)).json();
      const body = JSON.stringify({ shown: content?.shown ?? '0'.repeat(64) });
      const answer = await fetch(of(`/approvals/${id}/approve`), {
        ...{ method: 'POST', headers: { ...headers, cookie }, body },
      });
      return { status: answer.status, body: await answer.json() };
    };
  }

  const entriesOf = async (id: string) =>
    (
      await db.query<{ action: string }>(
        'select action from account_events where target = $1 order by event_id',
        [id],
      )
    ).map(({ action }) => action);

  test.each(['before', 'after'] as const)('%s it waits: asked again, it waits once', async (when) => {
    const key = newKey();
    const broken = proxy.breakAtCommit('approval_insert', when, service.kill9);
    const [answer] = await Promise.all([send(key).catch((error: Error) => error), broken]);
    expect(answer).toBeInstanceOf(Error);
    await startNext();
    approve = await signIn();
    const id = await ask(key);
    const rows = await db.query('select from send_approvals where idempotency_key = $1', [key]);
    expect([rows.length, await entriesOf(id), await countOf(key)]).toEqual([1, ['ask_to_send'], 0]);
  });

  test.each([
    ['before', 0],
    ['after', 1],
  ] as const)('%s it is approved: %i message; approved again, one mail', async (when, stored) => {
    const key = newKey();
    const id = await ask(key);
    const broken = proxy.breakAtCommit('approval_decide', when, service.kill9);
    const [answer] = await Promise.all([approve(id).catch((error: Error) => error), broken]);
    expect(answer).toBeInstanceOf(Error);
    expect(await countOf(key)).toBe(stored);

    await endLeases();
    await startNext();
    approve = await signIn();
    const again = await approve(id);
    expect([again.status, again.body.state]).toEqual([200, 'approved']);
    const sent = await send(key);
    expect([sent.status, sent.body.id]).toEqual([200, again.body.message_id]);
    await service.until(again.body.message_id, 'sent');
    expect(await entriesOf(id)).toEqual(['ask_to_send', 'approve_send']);
    expect(await countOf(key)).toBe(1);
    expect([...(await findNotDeliveredOnce(db)).keys()]).not.toContain(again.body.message_id);
    const kept = await db.query('select from send_approvals where approval_id = $1 and body is not null', [
      id,
    ]);
    expect(kept).toEqual([]);
  });
});

test('after all of it every sum agrees', async () => {
  await service.stop();
  expect(await audit(db)).toEqual([]);
});
