import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MESSAGES_SCANNED_MAX } from '../../src/messages/read-store.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { makeTenant } from '../support/tenants.ts';

/** `GET /v1/messages/export`. */
let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const save = (query = '', key?: string) =>
  service.call('GET', `/v1/messages/export${query}`, { ...(key !== undefined && { key }) });
const rowsOf = (body: string) => parse(body, { columns: true, bom: true }) as Record<string, string>[];

test('is what the list shows, newest first, and safe in a spreadsheet', async () => {
  const { body: first } = await service.send({
    subject: '=1+1',
    tags: ['a', 'b'],
    metadata: { order: '+7' },
    certified: false,
  });
  const { body: second } = await service.send({ subject: 'Línea, "dos"', to: 'Ana <ana@sandbox.test>' });
  const { status, headers, body } = await save();
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
  expect(headers['content-disposition']).toBe('attachment; filename="messages.csv"');
  const rows = rowsOf(body);
  expect(rows.map(({ id, subject, to, certified, status: at }) => [id, subject, to, certified, at])).toEqual([
    [second.id, 'Línea, "dos"', 'Ana <ana@sandbox.test>', String(second.certified), 'queued'],
    [first.id, "'=1+1", 'ana@sandbox.test', 'false', 'queued'],
  ]);
  expect(rows[1]).toMatchObject({
    created_at: first.created_at,
    tags: 'a b',
    metadata: '{"order":"+7"}',
    sealed_at: '',
    attempts: '0',
    idempotency_key: first.idempotency_key,
  });
});

test.each([
  ['first', '＝1+1', "'＝1+1"],
  ['behind a semicolon', 'x;=1+1', "x;'=1+1"],
  ['behind a semicolon, of full width', 'x;＠SUM', "x;'＠SUM"],
])('holds no formula %s', async (_, subject, written) => {
  const { body: sent } = await service.send({ subject, certified: false });
  const row = rowsOf((await save()).body).find(({ id }) => id === sent.id);
  expect(row).toMatchObject({ subject: written });
});

test('takes the filters of the list, and none of its pages', async () => {
  const { body: sent } = await service.send({ subject: 'Needle' });
  expect(rowsOf((await save('?subject=needle')).body).map(({ id }) => id)).toEqual([sent.id]);
  expect(rowsOf((await save('?status=bounced')).body)).toEqual([]);
  for (const query of ['?limit=1', '?after=x', '?status=none', '?metadata_value=x'])
    expect([query, (await save(query)).status]).toEqual([query, 400]);
  expect(rowsOf((await save('', (await makeTenant(service)).key)).body)).toEqual([]);
});

test('looks through everything, however rare what it looks for is', async () => {
  const count = MESSAGES_SCANNED_MAX + 1_500;
  await service.db.execute(
    `insert into messages (tenant_id, message_id, idempotency_key, header_from, header_to, sender_address,
       recipient_address, reverse_path, subject, certified, status, size_bytes, created_at, next_attempt_at, sent_at)
     select $1, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'many' || n, 'a@sandbox.test',
            'b@sandbox.test', 'a@sandbox.test', 'b@sandbox.test', 'r@sandbox.test',
            case when n = 1 then 'the oldest' else 'many' end, false, 'sent', 1, now(), null, now()
       from generate_series(1, $2::integer) n`,
    [service.account.tenantId, count],
  );
  expect(rowsOf((await save('?subject=oldest')).body)).toHaveLength(1);
  const all = rowsOf((await save()).body);
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  expect(all.length).toBeGreaterThan(count);
});
