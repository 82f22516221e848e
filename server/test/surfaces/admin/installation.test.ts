import { eventually } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sealMessage } from '../../support/sealed.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { giveDomain, makeTenant } from '../../support/tenants.ts';
import { openConsole, type TestConsole } from './harness.ts';

/** Sealing, the operator's suppressions, billing, settings and the record of what was done. */
let service: TestService;
let admin: TestConsole;

beforeAll(async () => {
  service = await startTestService();
  admin = await openConsole(service);
  await sealMessage(service);
});
afterAll(async () => {
  await admin?.stop();
  await service?.stop();
});

test('sealing is shown: its state, batches with their constancias, authorities and costs', async () => {
  const { body: status } = await admin.call('GET', '/sealing');
  expect(status).toMatchObject({ development: true, logs: [{ pending_leaves: 0, unstamped: 0 }] });
  expect((await admin.call('GET', '/sealing/authorities')).body.data).toEqual(status.authorities);
  const { body: batches } = await admin.call('GET', '/sealing/batches');
  expect(batches.data[0]).toMatchObject({ leaves: 1, certificate: { profile: 'development' } });
  const [{ created_at: at }] = batches.data;
  const inRange = async (range: string) =>
    (await admin.call('GET', `/sealing/batches?${range}`)).body.data.length;
  expect(await inRange(`created_after=${at}`)).toBeGreaterThan(0);
  expect(await inRange(`created_after=${new Date(Date.parse(at) + 1).toISOString()}`)).toBe(0);
  expect((await admin.call('GET', '/sealing/batches?created_before=now')).status).toBe(400);
  expect((await admin.call('GET', '/sealing/costs?month=2026-11')).body).toMatchObject({
    month: '2026-11',
    currency: 'MXN',
  });
  expect((await admin.call('GET', '/sealing/costs?month=2026-13')).status).toBe(400);
  expect((await admin.call('GET', '/sealing/witnesses')).body).toEqual({ quorum: 0, data: [] });
  const renewed = await admin.call('POST', '/sealing/renewals');
  expect(renewed.body).toEqual({ renewed: 0, postponed: 0, reasons: [], more: false });
});

test('a check runs as a job, one at a time, and says what it found', async () => {
  const answers = await Promise.all([
    admin.call('POST', '/sealing/checks'),
    admin.call('POST', '/sealing/checks', { as: 'luis' }),
  ]);
  expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
  const started = answers.find(({ status }) => status === 202)!;
  const path = String(started.headers['location']).replace('/v1/admin', '');
  await eventually(async () => (await admin.call('GET', path)).body.status !== 'running');
  expect((await admin.call('GET', path)).body).toMatchObject({
    status: 'clean',
    problem_count: 0,
    checked: { leaves: 1 },
    started_by: expect.stringContaining('@example.com'),
  });
});

test('a check finds what somebody changed in the database', async () => {
  await service.db.execute("update checkpoints set note = replace(note, '\n1\n', '\n2\n')");
  const { body } = await admin.call('POST', '/sealing/checks');
  const read = async () => (await admin.call('GET', `/sealing/checks/${body.id}`)).body;
  await eventually(async () => (await read()).status === 'problems');
  const { problems } = await read();
  expect(problems.length).toBeGreaterThan(0);
  await service.db.execute("update checkpoints set note = replace(note, '\n2\n', '\n1\n')");
});

test('a check whose process ended is interrupted, and another may begin', async () => {
  await service.db.execute(
    `insert into evidence_checks (check_id, status, started_by, started_at, beat_at, phase, done, total)
     values ('01936b0e-7c2a-7d10-9c1e-5a0f3f6b2aff', 'running', 'Ana', now(), now() - interval '1 minute', 'log', 5, 9)`,
  );
  const { body } = await admin.call('GET', '/sealing/checks/01936b0e-7c2a-7d10-9c1e-5a0f3f6b2aff');
  expect(body).toMatchObject({ status: 'interrupted', done: 5, total: 9, checked: null });
  const next = await admin.call('POST', '/sealing/checks');
  expect(next.status).toBe(202);
  await admin.checks.stop();
  const { status } = (await admin.call('GET', `/sealing/checks/${next.body.id}`)).body;
  expect(['interrupted', 'clean']).toContain(status);
});

test("an address on the operator's list is refused for every account, without telling whose it was", async () => {
  const tenant = await makeTenant(service);
  await giveDomain(service, tenant.tenantId, 'shop.example.com');
  const add = (as: 'ana' | 'luis') =>
    admin.call('POST', '/suppressions', { as, body: { address: 'Abuse@Example.NET', reason: 'case 12' } });
  expect((await Promise.all([add('ana'), add('luis')])).map(({ status }) => status).sort()).toEqual([
    200, 201,
  ]);
  const refused = await service.send(
    { from: 'a@shop.example.com', to: 'abuse@example.net' },
    { key: tenant.key },
  );
  expect(refused.body.error.code).toBe('recipient_suppressed');
  expect(refused.body.error.message).not.toContain('case 12');
  for (const local of ['a', 'b', 'c'])
    await admin.call('POST', '/suppressions', { body: { address: `${local}@example.org` } });
  const first = (await admin.call('GET', '/suppressions?limit=3')).body;
  const second = (await admin.call('GET', `/suppressions?limit=3&after=${first.next_cursor}`)).body;
  expect([...first.data, ...second.data].map(({ address }) => address)).toEqual([
    'a@example.org',
    'abuse@example.net',
    'b@example.org',
    'c@example.org',
  ]);
  expect(second.next_cursor).toBeNull();
  expect((await admin.call('DELETE', '/suppressions/ABUSE@example.net')).status).toBe(204);
  expect((await admin.call('DELETE', '/suppressions/ABUSE@example.net')).status).toBe(404);
});

test("the operator's list is searched, exported, and taken in from a file line by line", async () => {
  const file =
    'address,reason\nfirst@import.test,case 13\nnonsense\nFIRST@import.test,\n=x@import.test,=1+1\n';
  const send = (body: string, type = 'text/csv') =>
    admin.call('POST', '/suppressions/import', { body, headers: { 'content-type': type } });
  expect((await send(file)).body).toMatchObject({
    created: 2,
    known: 1,
    failed: 1,
    failures: [{ line: 3, error: { code: 'invalid_address' } }],
  });
  expect((await send(file)).body).toMatchObject({ created: 0, known: 3, failed: 1 });
  expect((await send(file, 'application/json')).status).toBe(415);
  expect((await send('')).status).toBe(400);
  const support = await admin.call('POST', '/suppressions/import', {
    as: 'support',
    body: file,
    headers: { 'content-type': 'text/csv' },
  });
  expect(support.body.error.code).toBe('insufficient_scope');
  const found = (await admin.call('GET', '/suppressions?q=FIRST@')).body.data;
  expect(found).toMatchObject([{ address: 'first@import.test', reason: 'case 13' }]);
  expect((await admin.call('GET', '/suppressions?q=%25')).body.data).toEqual([]);
  const exported = await admin.call('GET', '/suppressions/export?q=import.test', { as: 'support' });
  expect(exported.headers['content-disposition']).toContain('suppressions.csv');
  expect(exported.raw.toString()).toMatch(
    /^\ufeffaddress,reason,created_at\r\n'=x@import\.test,'=1\+1,.*\r\nfirst@import\.test,case 13,/,
  );
  expect((await send(exported.raw.toString())).body).toMatchObject({ created: 0, known: 2, failed: 0 });
  await service.db.execute(
    "update global_suppressions set created_at = '2026-01-05T12:00:00Z' where address = 'first@import.test'",
  );
  for (const [range, expected] of [
    ['created_before=2026-01-06T00:00:00Z', ['first@import.test']],
    ['created_after=2026-01-05T12:00:00Z&created_before=2026-01-05T12:00:01Z', ['first@import.test']],
    ['created_after=2026-01-05T12:00:01Z', ['=x@import.test']],
  ] as const) {
    const listed = (await admin.call('GET', `/suppressions?q=import.test&${range}`)).body.data;
    expect(listed.map(({ address }: { address: string }) => address)).toEqual(expected);
    const [, ...lines] = (await admin.call('GET', `/suppressions/export?q=import.test&${range}`)).raw
      .toString()
      .trim()
      .split('\r\n');
    expect(lines).toHaveLength(expected.length);
  }
  for (const path of ['/suppressions', '/suppressions/export'])
    expect((await admin.call('GET', `${path}?created_after=yesterday`)).status).toBe(400);
  expect((await admin.audited('?action=suppression.import'))[0]).toMatchObject({
    outcome: 'done',
    after: { created: 0, known: 2, failed: 0 },
  });
});

test('a month is billed by what was accepted, as JSON and as CSV that no name turns into a formula', async () => {
  const tenant = await makeTenant(service, {
    name: '=HYPERLINK("https://evil.test"),"x"',
    pricePerMessageCents: 7,
    pricePerPlainMessageCents: 2,
  });
  await giveDomain(service, tenant.tenantId, 'billed.example.com');
  const from = 'a@billed.example.com';
  await service.send({ from, to: 'x@example.com', certified: true }, { key: tenant.key });
  for (const _ of [1, 2])
    await service.send({ from, to: 'x@example.com', certified: false }, { key: tenant.key });
  const { body } = await admin.call('GET', '/billing');
  expect(body).toMatchObject({ currency: 'MXN', total_cents: 11 });
  expect(body.data.find(({ tenant_id: id }: { tenant_id: string }) => id === tenant.tenantId)).toMatchObject({
    certified: 1,
    certified_cents: 7,
    plain: 2,
    plain_cents: 4,
    total_cents: 11,
  });
  const csv = await admin.call('GET', '/billing?format=csv');
  expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8');
  const [header, ...lines] = csv.body.split('\r\n');
  expect(header).toMatch(/^month,currency,tenant_id,name,certified,/);
  expect(lines.find((line: string) => line.includes(tenant.tenantId))).toContain(
    `"'=HYPERLINK(""https://evil.test""),""x""",1,7,7,2,2,4,11,`,
  );
  expect((await admin.call('GET', '/billing?month=2026-00')).status).toBe(400);
});

test('settings, retention and the overview are there for support, without secrets', async () => {
  const { services } = service;
  const url = 'https://1.1.1.1/hooks/T000/secret?token=abc';
  const { row } = await services.endpoints.create(service.account.tenantId, { url, events: ['*'] });
  await service.db.execute('update webhook_endpoints set failing_since = now() where webhook_id = $1', [
    row.webhook_id,
  ]);
  const { body: retention } = await admin.call('GET', '/retention', { as: 'support' });
  expect(retention).toMatchObject({ plain_days: 90, certified_years: 10 });
  const { body: configuration } = await admin.call('GET', '/configuration', { as: 'support' });
  expect(configuration.settings).toContainEqual(expect.objectContaining({ name: 'ACUSE_CURRENCY' }));
  const { body: overview } = await admin.call('GET', '/overview', { as: 'support' });
  expect(overview.accepted_last_minute).toBeGreaterThan(0);
  expect(overview.attention).toContainEqual(
    expect.objectContaining({ code: 'webhook_failing', subject: row.webhook_id, tenant_name: 'Sandbox' }),
  );
  expect(JSON.stringify(overview)).not.toContain('secret');
});

test('mail is stuck when it has been due for long, however old it is', async () => {
  await service.send();
  const codes = async (dueSeconds: number) => {
    await service.db.execute(
      `update delivery_queue set created_at = now() - interval '10 minutes',
              due_at = now() - make_interval(secs => $1)`,
      [dueSeconds],
    );
    const { attention } = (await admin.call('GET', '/overview')).body;
    return attention.map(({ code }: { code: string }) => code);
  };
  expect(await codes(5)).not.toContain('queue_stuck');
  expect(await codes(90)).toContain('queue_stuck');
});

test('the record of what was done can be added to and never changed', async () => {
  await admin.call('PUT', '/queue/pauses/destinations/example.com', { body: { reason: 'x' } });
  for (const statement of [
    "update operator_events set action = 'nothing'",
    'delete from operator_events',
    'truncate operator_events',
  ])
    await expect(service.db.execute(statement)).rejects.toThrow('permission denied');
  const first = (await admin.call('GET', '/audit?limit=1')).body;
  expect(first.data).toHaveLength(1);
  const next = (await admin.call('GET', `/audit?limit=1&after=${first.next_cursor}`)).body;
  expect(next.data[0].id < first.data[0].id).toBe(true);
});
