import { get } from 'node:http';
import { eventually } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { linkOperator, requireByEmail } from '../../../src/people/operators/operators.ts';
import type { Hint } from '../../../src/platform/http/hint-streams.ts';
import { createInstallationFeed } from '../../../src/surfaces/admin/routes-changes.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { cookieOf, openConsole, type TestConsole } from './harness.ts';

/** Operators' changes, as hints to open pages of the console. */
let service: TestService;
let admin: TestConsole;
beforeAll(async () => {
  service = await startTestService();
  admin = await openConsole(service);
});
afterAll(async () => {
  await admin?.stop();
  await service?.stop();
});

test('one look serves all pages, names what changed and nothing of it, and ends with the last', async () => {
  const heard: Hint[][] = [[], []];
  const feed = createInstallationFeed(service.services);
  // Before the first comes: a page has read its lists by then.
  await admin.call('POST', '/suppressions', { body: { address: 'x@example.com' } });
  const [leave, leaveLast] = heard.map((hints) => feed.follow((hint) => hints.push(hint)));
  await eventually(
    async () => heard.every((hints) => hints.some(({ kind }) => kind === 'suppressions')) || undefined,
  );
  const path = `/tenants/${service.account.tenantId}`;
  await admin.call('PATCH', path, { body: { price_per_message_cents: 3 } });
  await eventually(
    async () => heard.every((hints) => hints.some(({ kind }) => kind === 'tenants')) || undefined,
  );
  expect(new Set(heard.flat().map(({ id }) => id))).toEqual(new Set([null]));
  expect(heard[0]).toEqual(heard[1]);
  leave!();
  leaveLast!();
});

test('looks that fail are in the log once, with the reason, and hints come again when they work', async () => {
  const { db, clock } = service.services;
  let failed = 0;
  let isBroken = true;
  const failing = async () => {
    failed++;
    throw new Error('column "x" does not exist');
  };
  const flaky = new Proxy(db, {
    get: (of, name: keyof typeof db) => (isBroken && name === 'query' ? failing : of[name]),
  });
  const told: unknown[] = [];
  const log = { warn: (fields: object) => void told.push(fields), error: () => {} };
  const heard: Hint[] = [];
  const leave = createInstallationFeed({ db: flaky, clock, log }).follow((hint) => heard.push(hint));
  await eventually(async () => failed > 2 || undefined);
  expect(told).toEqual([{ err: new Error('column "x" does not exist') }]);
  isBroken = false;
  await eventually(async () => {
    await admin.call('POST', '/suppressions', { body: { address: `y${heard.length}@example.com` } });
    return heard.some(({ kind }) => kind === 'suppressions') || undefined;
  });
  expect(told).toHaveLength(1);
  leave();
});

test('the stream is open to an operator, and to nobody else', async () => {
  const base = await admin.app.listen({ host: '127.0.0.1', port: 0 });
  const { personId: operatorId } = await requireByEmail(admin.sessions, 'sara@example.com');
  const { link } = await linkOperator(admin.sessions, operatorId);
  const body = { link: new URL(link.url).hash.slice(1) };
  const cookie = cookieOf(await admin.call('POST', '/session', { as: null, body }));
  const first = (headers: object) =>
    new Promise<string>((resolve, reject) => {
      const request = get(
        `${base}/v1/admin/changes`,
        { headers: { host: `localhost:${new URL(base).port}`, ...headers } },
        (answer) => {
          answer.setEncoding('utf8').once('data', (text: string) => {
            resolve(`${answer.statusCode} ${answer.headers['content-type']} ${text}`);
            answer.destroy();
          });
        },
      );
      request.on('error', reject);
    });
  expect(await first({ cookie })).toMatch(/^200 text\/event-stream retry: 3000/);
  expect(await first({})).toMatch(/^401 application\/json/);
});
