import { PassThrough } from 'node:stream';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commandsFor } from '../../src/cli/commands.ts';
import { runCommandLine } from '../../src/cli/run.ts';
import { newId } from '../../src/platform/ids.ts';
import { type Harness, openHarness } from './harness.ts';

/** `acuse queue` as an operator types it. */
let h: Harness;
const folder = tempFolder();
let tenantId: string;
let messageId: string;

beforeAll(async () => {
  h = await openHarness();
  tenantId = await h.tenant();
  messageId = await h.queue(tenantId, { to: 'ana@example.com' });
  await h.queue(tenantId, { to: 'bob@example.com' });
  await h.queue(await h.tenant(), { to: 'eve@example.net' });
  const reply = { code: 451, enhanced: '4.7.1', text: '4.7.1 Greylisted', mx: 'mx.example.com' };
  await h.db.execute('update messages set attempts = 1, last_reply = $2 where message_id = $1', [
    messageId,
    JSON.stringify(reply),
  ]);
});
afterAll(() => h.close());

async function acuse(...args: string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const env = { DATABASE_URL: h.url, ACUSE_DATA_DIR: folder };
  const code = await runCommandLine(['queue', ...args], await commandsFor(['queue', ...args]), {
    stdout,
    stderr,
    env,
    version: '1.2.3',
  });
  const [out, err] = [stdout, stderr].map((stream) => String(stream.read() ?? '')) as [string, string];
  return { code, out, err, json: args.includes('--json') ? JSON.parse(out) : null };
}

test('show says why a message is still here, to people and to programs', async () => {
  const { code, out } = await acuse('show', messageId);
  expect(code).toBe(0);
  expect(out).toContain('ana@example.com');
  expect(out).toContain('It has been due since');
  expect(out).toContain('Last reply after one attempt: 451 4.7.1 Greylisted (mx.example.com).');
  const { json } = await acuse('show', messageId, '--json');
  expect(json).toMatchObject({
    message_id: messageId,
    tenant_id: tenantId,
    status: 'queued',
    attempts: 1,
    queue: { destination: 'example.com', leased_until: null },
    tenant_pause: null,
    destination_pause: null,
    windows: [],
    due_before: 0,
  });
  expect(json.why.length).toBeGreaterThan(2);
});

test('ids may be typed in upper case', async () => {
  const { code, json } = await acuse('show', messageId.toUpperCase(), '--json');
  expect([code, json.message_id]).toEqual([0, messageId]);
  const tenantId = await h.tenant();
  expect((await acuse('list', '--tenant', tenantId.toUpperCase())).code).toBe(0);
});

test('list counts what is scheduled apart, whoever it is of and wherever it goes', async () => {
  const tenantId = await h.tenant();
  const ids = [
    await h.queue(tenantId, { to: 'a@later.test' }),
    await h.queue(tenantId, { to: 'b@later.test' }),
  ];
  const sendAt = new Date(Date.now() + 86_400_000);
  for (const id of ids) {
    await h.db.execute('delete from delivery_queue where message_id = $1', [id]);
    await h.db.execute(
      "update messages set status = 'scheduled', send_at = $2, next_attempt_at = $2 where message_id = $1",
      [id, sendAt.toISOString()],
    );
    await h.db.execute(
      'insert into scheduled_messages (tenant_id, message_id, send_at) values ($1, $2, $3)',
      [tenantId, id, sendAt.toISOString()],
    );
  }
  expect((await acuse('list', '--json')).json.scheduled).toBe(2);
  expect((await acuse('list', '--tenant', tenantId, '--json')).json.scheduled).toBe(2);
  expect((await acuse('list', '--destination', 'later.test', '--json')).json.scheduled).toBe(2);
  expect((await acuse('list', '--destination', 'elsewhere.test', '--json')).json.scheduled).toBe(0);
  expect((await acuse('list')).out).toContain('2 more scheduled: in no queue until they fall due');
});

test('pause, list, show and resume a destination', async () => {
  const paused = await acuse(
    'pause',
    '--destination',
    'Example.COM',
    '--reason',
    'ticket 4711',
    '--by',
    'ana',
  );
  expect(paused).toMatchObject({ code: 0, out: 'paused Example.COM\n' });
  const { json } = await acuse('list', '--json');
  expect(json).toMatchObject({
    by: 'destination',
    total: { due: 3, held: 0, waiting: 0 },
    paused: [{ destination: 'example.com', reason: 'ticket 4711', paused_by: 'ana' }],
  });
  expect(json.groups.map(({ key, due }: { key: string; due: number }) => [key, due])).toEqual([
    ['example.com', 2],
    ['example.net', 1],
  ]);
  const shown = await acuse('show', '--destination', 'example.com');
  expect(shown.out).toMatch(/paused +since .* by ana: ticket 4711/);
  expect(shown.out).toMatch(/1 +451 +4\.7\.1 Greylisted/);
  expect(shown.out).toContain(tenantId);
  expect((await acuse('show', messageId)).out).toContain('The destination example.com was paused at');
  expect(await acuse('resume', '--destination', 'example.com')).toMatchObject({
    code: 0,
    out: 'resumed example.com: 0 messages are due\n',
  });
  expect(await acuse('resume', '--destination', 'example.com')).toMatchObject({
    code: 1,
    err: 'acuse: example.com is not paused\n',
  });
});

test('cancel ends a message, once, in the operator’s name', async () => {
  const id = await h.queue(tenantId, { to: 'zoe@example.org' });
  expect(await acuse('cancel', id)).toMatchObject({ code: 0, out: `cancelled ${id}\n` });
  const { json } = await acuse('show', id, '--json');
  expect(json).toMatchObject({
    status: 'cancelled',
    queue: null,
    last_reply: { code: null, text: 'cancelled by the operator' },
    why: [expect.stringMatching(/^It was cancelled at .*Z: cancelled by the operator\.$/)],
  });
  const again = await acuse('cancel', id);
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining('is already cancelled') });
  for (const unknown of [newId(), 'nonsense'])
    expect(await acuse('cancel', unknown)).toMatchObject({
      code: 1,
      err: expect.stringContaining('No message has the id'),
    });
  expect((await acuse('cancel')).code).toBe(2);
});

test('pause, list, show and resume an account', async () => {
  expect(await acuse('pause', '--tenant', tenantId, '--reason', 'complaints')).toMatchObject({ code: 0 });
  const { json } = await acuse('show', '--tenant', tenantId, '--json');
  expect(json).toMatchObject({
    name: 'Tenant',
    queue: { due: 2 },
    pause: { reason: 'complaints', paused_by: expect.stringMatching(/.@./) },
    destinations: [{ key: 'example.com', due: 2 }],
  });
  expect((await acuse('list')).out).toContain('complaints');
  expect((await acuse('list', '--by', 'tenant', '--json')).json.groups).toHaveLength(2);
  expect((await acuse('list', '--by', 'age', '--tenant', tenantId, '--json')).json.groups).toMatchObject([
    { key: '< 5 min', due: 2 },
  ]);
  expect(await acuse('resume', '--tenant', tenantId)).toMatchObject({ code: 0 });
});

describe('refuses', () => {
  test.each([
    [['show'], 2, /give a message id, --destination or --tenant/],
    [['show', 'x', '--tenant', 'y'], 2, /give a message id, --destination or --tenant/],
    [['show', newId()], 1, /No message has the id/],
    [['show', 'nonsense'], 1, /No message has the id/],
    [['show', '--tenant', newId()], 1, /No account has the id/],
    [['show', '--destination', 'a b'], 1, /destination: /],
    [['list', '--by', 'colour'], 2, /--by takes destination, tenant, age/],
    [['list', '--limit', '0'], 2, /--limit takes 1 to/],
    [['list', '--tenant', 'x'], 1, /No account has the id/],
    [['pause', '--destination', 'example.com'], 2, /missing --reason/],
    [['pause', '--reason', 'x'], 2, /give either --destination or --tenant/],
    [['pause', '--destination', 'example.com', '--reason', 'two\nlines'], 2, /on one line/],
    [['resume', '--tenant', newId()], 1, /is not paused/],
  ])('%j', async (args, code, message) => {
    const result = await acuse(...args);
    expect(result.code).toBe(code);
    expect(result.err).toMatch(message);
  });
});
