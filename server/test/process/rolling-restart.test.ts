import { Agent, createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@acuse/testkit/eventually';
import { freePort } from '@acuse/testkit/free-port';
import { afterEach, describe, expect, test } from 'vitest';
import type { Db } from '../../src/platform/database/db.ts';
import { audit, countStates, findNotDeliveredOnce } from '../support/audit.ts';
import { type Balancer, hasNginx, startNginx, startTcpBalancer } from '../support/balancers.ts';
import { createProcesses, type Service } from '../support/process.ts';
import { newKey } from '../support/service.ts';

/** Processes are replaced one after the other while the service works: nobody outside notices. */

const processes = createProcesses();
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  await processes.end();
});

const WORK = 'delivery,sealing,webhooks';
const CLIENTS = 6;
const STOP_DELAY = '3s';
/** Of each client, between two requests (ms): the load is constant, and leaves the machine to others. */
const PAUSE_MS = 150;

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  readonly body: any;
}

interface Call {
  readonly url: string;
  readonly key: string;
  readonly agent: Agent;
  /** Sent, with an Idempotency-Key of its own; absent: a read. */
  readonly send?: { readonly id: string; readonly certified: boolean };
}

/** One request, tried once: whatever goes wrong with it is thrown. */
function call({ url, key, agent, send }: Call): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const asked = request(url, {
      agent,
      method: send === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        ...(send !== undefined && { 'content-type': 'application/json', 'idempotency-key': send.id }),
      },
    });
    asked.on('error', reject).on('response', (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.on('error', reject);
      answer.on('end', () =>
        resolve({ status: answer.statusCode!, headers: answer.headers, body: text && JSON.parse(text) }),
      );
    });
    asked.end(
      send &&
        JSON.stringify({
          from: 'billing@sandbox.test',
          to: 'delivered@sandbox.test',
          subject: 'Hello',
          text: 'Hello Ana',
          certified: send.certified,
        }),
    );
  });
}

interface Steady {
  /** Idempotency-Key → id of each message that was answered 201. */
  readonly accepted: Map<string, string>;
  /** Requests that were answered as they should be. */
  answered(): number;
  readonly failed: readonly string[];
  stop(): Promise<void>;
}

/** Sends, and reads of what was sent, on connections that stay open. */
function startSteadyLoad(url: string, key: string): Steady {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const accepted = new Map<string, string>();
  const failed: string[] = [];
  let answered = 0;
  let running = true;

  async function expectStatus(what: string, wanted: number, made: Call): Promise<Reply | null> {
    try {
      const reply = await call(made);
      if (reply.status === wanted) {
        answered++;
        return reply;
      }
      failed.push(`${what}: ${reply.status} ${JSON.stringify(reply.body)}`);
    } catch (error) {
      failed.push(`${what}: ${(error as Error).message}`);
    }
    return null;
  }

  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    for (let at = 0; running; at++) {
      const send = { id: newKey(), certified: (at + client) % 3 === 0 };
      const sent = await expectStatus('send', 201, { url: `${url}/v1/messages`, key, agent, send });
      if (sent !== null) {
        accepted.set(send.id, sent.body.id);
        await expectStatus('read', 200, { url: `${url}/v1/messages/${sent.body.id}`, key, agent });
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  });
  return {
    accepted,
    failed,
    answered: () => answered,
    async stop() {
      running = false;
      await Promise.all(clients);
      agent.destroy();
    },
  };
}

const more = (count: () => number | Promise<number>, by: number) => async () => {
  const before = await count();
  await eventually(async () => (await count()) >= before + by);
};

/** Everything that was answered is there, once, delivered once and sealed where that was asked for. */
async function expectAllDone(db: Db, load: Steady): Promise<void> {
  expect(load.failed).toEqual([]);
  await eventually(async () => {
    const { sent = 0, ...rest } = await countStates(db);
    return sent === load.accepted.size && Object.keys(rest).length === 0;
  });
  const rows = await db.query<{ idempotency_key: string; message_id: string }>(
    'select idempotency_key, message_id from messages',
  );
  expect(rows).toHaveLength(load.accepted.size);
  expect(new Map(rows.map((row) => [row.idempotency_key, row.message_id]))).toEqual(load.accepted);
  expect([...(await findNotDeliveredOnce(db))]).toEqual([]);
  const certified = await db.query('select from messages where certified');
  await eventually(async () => (await countEvents(db, 'email.sealed')) === certified.length);
  expect(await audit(db)).toEqual([]);
}

/** Messages of which this was announced. */
async function countEvents(db: Db, type: string): Promise<number> {
  const [row] = await db.query<{ n: number }>(
    'select count(distinct message_id) as n from events where type = $1',
    [type],
  );
  return Number(row!.n);
}

const BALANCERS: readonly [string, boolean, (ports: [number, number]) => Promise<Balancer>][] = [
  ['a TCP balancer that asks /readyz', true, startTcpBalancer],
  ['nginx with deploy/nginx/two-hosts.conf', hasNginx, startNginx],
];

describe.each(BALANCERS)('two processes with the role api behind %s', (_name, isThere, startBalancer) => {
  test.skipIf(!isThere)(
    'replaced one after the other under load: no request fails, nothing twice',
    async () => {
      const databaseUrl = await processes.database();
      const db = processes.connect(databaseUrl);
      // The role delivery opens the sandbox's account.
      const { dataDir, sandbox } = await processes.start({ databaseUrl, env: { ACUSE_ROLES: WORK } });
      const ports: [number, number] = [await freePort(), await freePort()];
      const startApi = (port: number) =>
        processes.start({
          databaseUrl,
          dataDir,
          env: { ACUSE_ROLES: 'api', ACUSE_PORT: String(port), ACUSE_STOP_DELAY: STOP_DELAY },
        });
      const apis = await Promise.all(ports.map(startApi));
      const balancer = await startBalancer(ports);
      ends.push(balancer.stop);
      const load = startSteadyLoad(balancer.url, sandbox.api_key);
      ends.push(load.stop);
      const goesOn = more(load.answered, 100);
      for (const [at, port] of ports.entries()) {
        await goesOn();
        const stopped = apis[at]!.stop();
        await expectRetiring(apis[at]!, sandbox.api_key);
        // The other one serves all of it meanwhile.
        expect(await stopped).toBe(0);
        await goesOn();
        apis[at] = await startApi(port);
      }
      await goesOn();
      await load.stop();
      const own = (await call({
        url: `${balancer.url}/v1/messages`,
        key: sandbox.api_key,
        agent: new Agent(),
        send: { id: 'rolled', certified: true },
      })) as Reply;
      expect(own.status).toBe(201);
      load.accepted.set('rolled', own.body.id);
      await expectAllDone(db, load);
    },
  );
});

/** It says that it stops, and answers whoever still comes, on connections that it then closes. */
async function expectRetiring({ baseUrl }: Service, key: string): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  ends.push(async () => agent.destroy());
  await eventually(async () => (await fetch(`${baseUrl}/readyz`)).status === 503);
  const health = await call({ url: `${baseUrl}/healthz`, key, agent });
  expect([health.status, health.headers.connection]).toEqual([200, 'close']);
  const listed = await call({ url: `${baseUrl}/v1/messages`, key, agent });
  expect([listed.status, listed.headers.connection]).toEqual([200, 'close']);
}

describe('two processes with the roles delivery, sealing and webhooks', () => {
  test('replaced one after the other under load: the other delivers, seals and tells, and nothing twice', async () => {
    const databaseUrl = await processes.database();
    const db = processes.connect(databaseUrl);
    const env = { ACUSE_WEBHOOK_ALLOW_PRIVATE: 'true' };
    const first = await processes.start({ databaseUrl, env: { ...env, ACUSE_ROLES: WORK } });
    const { dataDir, sandbox } = first;
    const start = (roles: string) =>
      processes.start({ databaseUrl, dataDir, env: { ...env, ACUSE_ROLES: roles } });
    const workers = [first, await start(WORK)];
    const api = await start('api');
    const told = await startReceiver();
    const hook = await api.call('POST', '/v1/webhooks', { url: told.url, events: ['email.sent'] });
    expect(hook.status).toBe(201);
    const load = startSteadyLoad(api.baseUrl, sandbox.api_key);
    ends.push(load.stop);
    const workGoesOn = () =>
      Promise.all([
        more(() => countEvents(db, 'email.sent'), 50)(),
        more(() => countEvents(db, 'email.sealed'), 10)(),
        more(() => told.ids.size, 50)(),
      ]);
    for (const at of workers.keys()) {
      await workGoesOn();
      expect(await workers[at]!.stop()).toBe(0);
      await workGoesOn();
      workers[at] = await start(WORK);
    }
    await workGoesOn();
    await load.stop();
    await expectAllDone(db, load);
    await eventually(() => told.ids.size === load.accepted.size);
    expect(new Set(told.ids.keys())).toEqual(new Set(load.accepted.values()));
    expect([...told.ids].filter(([, times]) => times !== 1)).toEqual([]);
  });
});

/** Counts what it is told, by message. */
async function startReceiver(): Promise<{ url: string; ids: Map<string, number> }> {
  const ids = new Map<string, number>();
  const server = createServer((asked, answer) => {
    let text = '';
    asked.setEncoding('utf8').on('data', (part: string) => (text += part));
    asked.on('end', () => {
      const id: string = JSON.parse(text).data.message_id;
      ids.set(id, (ids.get(id) ?? 0) + 1);
      answer.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, ids };
}
