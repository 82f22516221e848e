import { eventually } from '@acuse/testkit/eventually';
import { untilLetIn } from '@acuse/testkit/until-let-in';
import { afterEach, describe, expect, test } from 'vitest';
import { audit, countStates, findNotDeliveredOnce } from '../support/audit.ts';
import { startLoad } from '../support/load.ts';
import { createProcesses, type Service } from '../support/process.ts';
import { newKey } from '../support/service.ts';

/** One database, one truth: whatever the number of requests and servers. */
const processes = createProcesses();
afterEach(processes.end);

async function startServers(count: number) {
  const databaseUrl = await processes.database();
  const db = processes.connect(databaseUrl);
  const services = await Promise.all(Array.from({ length: count }, () => processes.start({ databaseUrl })));
  return { db, services };
}

async function stopAll(services: readonly Service[]): Promise<void> {
  await Promise.all(services.map((service) => service.stop()));
}

describe.each([1, 2])('a hundred sends with one key at once, over %i server(s)', (count) => {
  test('make one message and one unit of quota; the rest are replays', async () => {
    const { db, services } = await startServers(count);
    const key = newKey();
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, at) => untilLetIn(() => services[at % count]!.send({}, key))),
    );
    // Said in full, so that a failure tells what came in place of a replay.
    const said = answers.map(({ status, headers, body }) =>
      [status, headers.get('idempotent-replayed') ?? '', body.error?.code ?? ''].join(' ').trim(),
    );
    expect(said.toSorted()).toEqual([...Array(99).fill('200 true'), '201']);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(await db.query('select count(*) as n from messages')).toEqual([{ n: 1 }]);
    expect(await db.query('select bag, used from quota_usage')).toEqual([{ bag: 'certified', used: 1 }]);
    await stopAll(services);
    expect(await audit(db)).toEqual([]);
  });
});

test('two servers at once with one key and several recipients make one message for each', async () => {
  const { db, services } = await startServers(2);
  const [key, names] = [newKey(), ['a', 'b', 'c', 'd']];
  const to = names.map((name) => `delivered+${name}@sandbox.test`);
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, at) =>
      untilLetIn(() => services[at % 2]!.send({ to, bcc: 'delivered+e@sandbox.test' }, key)),
    ),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(39).fill(200), 201]);
  const idsOf = ({ body }: (typeof answers)[number]) => [
    body.id,
    ...body.copies.map(({ id }: { id: string }) => id),
  ];
  for (const answer of answers) expect(idsOf(answer)).toEqual(idsOf(answers[0]!));
  expect(await db.query('select count(*) as n from messages')).toEqual([{ n: 5 }]);
  expect(await db.query('select bag, used from quota_usage')).toEqual([{ bag: 'certified', used: 5 }]);
  await stopAll(services);
  expect(await audit(db)).toEqual([]);
});

describe('two servers on one database', () => {
  test('deliver each message once, into one history of one log', async () => {
    const { db, services } = await startServers(2);
    const total = 600;
    const load = startLoad(() => services[Math.floor(Math.random() * 2)]!, {
      concurrency: 32,
      total,
      fields: (at) => ({ certified: at % 3 !== 0 }),
    });
    await load.done;
    expect(load.accepted.size).toBe(total);
    await eventually(async () => {
      const { sent } = await countStates(db);
      const [{ sealed }] = (await db.query(
        `select count(*) as sealed from events where type = 'email.sealed'`,
      )) as [{ sealed: number }];
      return sent === total && sealed === (total * 2) / 3;
    });
    await stopAll(services);
    expect(await findNotDeliveredOnce(db)).toEqual(new Map());
    expect(await db.query('select count(*) as logs from logs')).toEqual([{ logs: 1 }]);
    expect(await audit(db)).toEqual([]);
  });
});
