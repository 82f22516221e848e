import { eventually } from '@acuse/testkit/eventually';
import { afterEach, describe, expect, test } from 'vitest';
import type { Db } from '../../src/platform/database/db.ts';
import { audit, findNotDeliveredOnce } from '../support/audit.ts';
import { createProcesses, type Service } from '../support/process.ts';
import { newKey } from '../support/service.ts';

/**
 * Every commit on a message's way, broken at its edge: before PostgreSQL sees it and after, with the server
 * killed and with only its connection cut. Whatever the case, afterwards there is one message, counted once,
 * on one way.
 */
const processes = createProcesses();
afterEach(processes.end);

const COUNT_MESSAGES = 'select count(*) as n from messages';

describe('kill -9 at the commit of a send', () => {
  test.each([
    ['before', 0],
    ['after', 1],
  ] as const)(
    '%s it: %i message, never answered; the same key then makes or finds exactly one',
    async (when, stored) => {
      const { databaseUrl, proxy, db, service } = await processes.startBehindProxy();
      const key = newKey();
      const broken = proxy.breakAtCommit('accept_insert_messages', when, service.kill9);
      const answer = service.send({}, key).catch((error: Error) => error);
      await broken;
      expect(await answer).toBeInstanceOf(Error);
      expect(await db.query(COUNT_MESSAGES)).toEqual([{ n: stored }]);

      const next = await processes.start({ databaseUrl });
      const retried = await next.send({}, key);
      expect(retried.status).toBe(stored === 1 ? 200 : 201);
      expect(retried.headers.get('idempotent-replayed')).toBe(stored === 1 ? 'true' : null);
      expect((await next.send({}, key)).body.id).toBe(retried.body.id);
      expect(await db.query(COUNT_MESSAGES)).toEqual([{ n: 1 }]);
      await next.stop();
      expect(await audit(db)).toEqual([]);
    },
  );
});

describe('a connection that breaks at the commit of a send', () => {
  test('before it: the send is refused as unavailable and nothing is stored', async () => {
    const { proxy, db, service } = await processes.startBehindProxy();
    const key = newKey();
    const broken = proxy.breakAtCommit('accept_insert_messages', 'before');
    const answer = await service.send({}, key);
    await broken;
    expect(answer).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
    expect(await db.query(COUNT_MESSAGES)).toEqual([{ n: 0 }]);
    expect((await service.send({}, key)).status).toBe(201);
    await service.stop();
    expect(await audit(db)).toEqual([]);
  });

  test('after it: the server looks what became of it and answers with the message', async () => {
    const { proxy, db, service } = await processes.startBehindProxy();
    const key = newKey();
    const broken = proxy.breakAtCommit('accept_insert_messages', 'after');
    const answer = await service.send({}, key);
    await broken;
    expect(answer.status).toBe(201);
    expect((await service.send({}, key)).body.id).toBe(answer.body.id);
    expect(await db.query(COUNT_MESSAGES)).toEqual([{ n: 1 }]);
    await service.stop();
    expect(await audit(db)).toEqual([]);
  });
});

/** The commits behind a send, by a statement that only they run. */
const BACKGROUND = ['delivery_insert_attempts', 'insert_leaves', 'insert_stamp'];

const isSealed = (service: Service, id: string) => async () =>
  (await service.call('GET', `/v1/messages/${id}`)).body.sealed_at !== null;

/** As if the two minutes had passed for which a server that was killed still holds what it had claimed. */
async function endLeases(db: Db): Promise<void> {
  for (const queue of ['delivery_queue', 'stamp_queue'])
    await db.execute(
      `update ${queue} set due_at = now(), leased_until = now() where leased_until is not null`,
    );
}

describe('the commits behind a send', () => {
  test('cut before and after each of them: every message is sent and sealed once all the same', async () => {
    const { proxy, db, service } = await processes.startBehindProxy();
    for (const statement of BACKGROUND) {
      for (const when of ['before', 'after'] as const) {
        const broken = proxy.breakAtCommit(statement, when);
        const { body } = await service.send();
        await broken;
        await eventually(isSealed(service, body.id));
        await service.until(body.id, 'sent');
      }
    }
    await service.stop();
    expect(await audit(db)).toEqual([]);
    expect(await findNotDeliveredOnce(db)).toEqual(new Map());
  });

  test('kill -9 after each of them: the next server starts from what was written', async () => {
    const setup = await processes.startBehindProxy();
    const { proxy, db } = setup;
    let { service } = setup;
    for (const statement of BACKGROUND) {
      const broken = proxy.breakAtCommit(statement, 'after', service.kill9);
      const key = newKey();
      // Sender and sealer work beside the answer: the kill may come before it.
      await service.send({}, key).catch(() => {});
      await broken;
      await endLeases(db);
      service = await processes.start({ databaseUrl: proxy.url });
      const { body } = await service.send({}, key);
      await eventually(isSealed(service, body.id));
    }
    expect(await db.query(COUNT_MESSAGES)).toEqual([{ n: BACKGROUND.length }]);
    await service.stop();
    expect(await audit(db)).toEqual([]);
  });
});
