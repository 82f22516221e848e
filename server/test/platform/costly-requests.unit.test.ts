import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { eventually } from '@acuse/testkit/eventually';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { COSTLY_AT_ONCE, COSTLY_WAITING_MAX } from '../../src/platform/http/costly-requests.ts';
import type { App } from '../../src/platform/http/http.ts';
import { createHttpServer } from '../../src/platform/http/http-server.ts';
import { createLog } from '../../src/platform/logger.ts';

/** Work under way, each with what ends it. */
let working: { tenantId: string; who: string | null; end(): void }[] = [];
let app: App;

beforeEach(async () => {
  working = [];
  app = createHttpServer({
    log: createLog('silent'),
    authenticate: async (request) => {
      const [tenantId, id = 'k'] = String(request.headers['x-account']).split('/') as [string, string?];
      request.principal = { tenantId, actor: { kind: 'key', id, name: 'test' }, scopes: [] };
    },
    trustProxy: null,
    streamTurnMs: 20,
  });
  app.get('/costly', { config: { costly: true }, schema: {} }, async (request) => {
    const { tenantId, actor } = request.principal;
    await new Promise<void>((end) => working.push({ tenantId, who: actor.id, end }));
    return 'done' as never;
  });
  const large = Buffer.alloc(16 * 1024 * 1024);
  app.get('/costly/bytes', { config: { costly: true }, schema: {} }, async () => large as never);
  app.get('/costly/stream', { config: { costly: true }, schema: {} }, async (_request, reply) =>
    reply.send(Readable.from([large]) as never),
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(async () => {
  app.server.closeAllConnections();
  await app.close();
});

/** A request on a connection of its own. */
function ask(account: string): { status: Promise<number>; goAway(): void } {
  const { port } = app.server.address() as AddressInfo;
  const request = httpRequest({
    port,
    host: '127.0.0.1',
    path: '/costly',
    headers: { 'x-account': account },
  });
  const status = new Promise<number>((resolve) => {
    request.on('response', (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode!));
    });
    request.on('error', () => resolve(0));
  });
  request.end();
  return { status, goAway: () => void request.destroy() };
}
/** As the server sees it: it hears later than its client that one is gone. */
const connections = () =>
  new Promise<number>((resolve) => app.server.getConnections((_, count) => resolve(count)));
const workingFor = (account: string) => working.filter(({ tenantId }) => tenantId === account).length;

test('one account has a few costly requests at once, whatever it opens; others have theirs', async () => {
  const flood = Array.from({ length: 32 }, () => ask('flood'));
  await eventually(() => workingFor('flood') === COSTLY_AT_ONCE);
  const other = ask('other');
  await eventually(() => workingFor('other') === 1);
  expect(workingFor('flood')).toBe(COSTLY_AT_ONCE);
  for (let ended = 0; ended < 33; ended++) {
    await eventually(() => working.length > ended);
    expect(workingFor('flood') - working.slice(0, ended).length).toBeLessThanOrEqual(COSTLY_AT_ONCE);
    working[ended]!.end();
  }
  for (const { status } of [...flood, other]) expect(await status).toBe(200);
});

test('beyond those that may wait it is told to come back', async () => {
  const all = Array.from({ length: COSTLY_AT_ONCE + COSTLY_WAITING_MAX + 3 }, () => ask('flood'));
  let refused = 0;
  for (const { status } of all) void status.then((code) => (refused += code === 429 ? 1 : 0));
  await eventually(() => refused === 3);
});

test('one of an account who asks without end keeps nobody else of it out', async () => {
  const flood = Array.from({ length: 2 * COSTLY_WAITING_MAX }, () => ask('account/viewer'));
  await eventually(() => workingFor('account') === COSTLY_AT_ONCE);
  void ask('account/owner');
  let refused = 0;
  for (const { status } of flood) void status.then((code) => (refused += code === 429 ? 1 : 0));
  await eventually(() => refused === flood.length + 1 - COSTLY_AT_ONCE - COSTLY_WAITING_MAX);
  for (const ended of [0, 1]) {
    working[ended]!.end();
    await eventually(() => working.length === COSTLY_AT_ONCE + ended + 1);
  }
  expect(working.slice(COSTLY_AT_ONCE).map(({ who }) => who)).toContain('owner');
});

test.each(['bytes', 'stream'])(
  'one of an account who reads answers slowly, of %s, keeps nobody else of it out',
  async (kind) => {
    const { port } = app.server.address() as AddressInfo;
    for (let at = 0; at < COSTLY_AT_ONCE; at++) {
      const socket = connect(port, '127.0.0.1');
      socket.write(`GET /costly/${kind} HTTP/1.1\r\nHost: x\r\nX-Account: account/viewer\r\n\r\n`);
      await once(socket, 'readable');
    }
    const owner = ask('account/owner');
    await eventually(() => workingFor('account') === 1);
    working[0]!.end();
    expect(await owner.status).toBe(200);
  },
);

test('a client that goes away keeps its turn until the work is done, and its place in the line not at all', async () => {
  const gone = Array.from({ length: COSTLY_AT_ONCE }, () => ask('flood'));
  await eventually(() => workingFor('flood') === COSTLY_AT_ONCE);
  const waiting = Array.from({ length: 5 }, () => ask('flood'));
  const last = ask('flood');
  for (const { goAway } of [...gone, ...waiting]) goAway();
  for (const { status } of [...gone, ...waiting]) expect(await status).toBe(0);
  await eventually(async () => (await connections()) === 1);
  // Nobody waits for what is under way, and it is not done.
  expect(working).toHaveLength(COSTLY_AT_ONCE);
  working[0]!.end();
  await eventually(() => working.length === COSTLY_AT_ONCE + 1);
  working.at(-1)!.end();
  expect(await last.status).toBe(200);
  expect(working).toHaveLength(COSTLY_AT_ONCE + 1);
});
