import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IMPORT_BODY_LIMIT_BYTES, IMPORT_LINES_MAX } from '../../../src/accounts/suppressions/import-file.ts';
import { SUPPRESSIONS_MAX } from '../../../src/accounts/suppressions/operations.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { makeTenant } from '../../support/tenants.ts';

/** `POST /v1/suppressions/import` and `GET /v1/suppressions/export`. */
let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const account = async () => (await makeTenant(service)).key;
const load = (key: string, file: string | Uint8Array, type = 'text/csv') =>
  service.call('POST', '/v1/suppressions/import', { key, body: file, headers: { 'content-type': type } });
const save = (key: string, query = '') => service.call('GET', `/v1/suppressions/export${query}`, { key });
const listed = async (key: string): Promise<string[]> =>
  (await service.call('GET', '/v1/suppressions?limit=100', { key })).body.data
    .map(({ address, reason }: Record<string, string>) => `${address} ${reason}`)
    .sort();

describe('a file of addresses', () => {
  test('adds each once, says which it knew, and refuses line by line', async () => {
    const key = await account();
    const file =
      'address,reason\nAna@Example.com,asked\nnobody,\nana@example.com,again\n"luis@example.net","two, parts"\n\n';
    const first = await load(key, file);
    expect(first).toMatchObject({ status: 200, body: { created: 2, known: 1, failed: 1 } });
    expect(first.body.failures).toEqual([
      { line: 3, error: { code: 'invalid_address', message: expect.any(String) } },
    ]);
    expect(await listed(key)).toEqual(['ana@example.com asked', 'luis@example.net two, parts']);
    expect((await load(key, file)).body).toMatchObject({ created: 0, known: 3, failed: 1 });
  });

  test.each([
    ['with the names of others', 'Email Address,Bounce type\nana@example.com,hard'],
    ['with semicolons', 'email;name\r\nana@example.com;Ana\r\n'],
    ['with tabs', 'name\temail\nAna\tana@example.com'],
    ['with a byte order mark', '\ufeffaddress\nana@example.com'],
    ['without names', 'ana@example.com\n'],
    ['with an apostrophe before a formula', 'address\nana@example.com\n'],
  ])('%s', async (_, file) => {
    const key = await account();
    expect((await load(key, file)).body).toMatchObject({ created: 1, known: 0, failed: 0, failures: [] });
    expect(await listed(key)).toEqual(['ana@example.com Added manually.']);
  });

  test('saved on Windows, with controls in a reason', async () => {
    const key = await account();
    const file = Buffer.from('address,reason\nana@example.com,pidi\xf3 \0baja\n', 'latin1');
    expect((await load(key, file)).body.created).toBe(1);
    expect(await listed(key)).toEqual(['ana@example.com pidió baja']);
  });

  test.each([
    ['empty', ''],
    ['not CSV', 'address\n"ana@example.com" x"'],
    ['without a column of addresses', 'name,phone\nAna,1'],
    ['with too many', `address\n${'a@example.com\n'.repeat(IMPORT_LINES_MAX + 1)}`],
    ['of one endless cell', `address\n"${'x'.repeat(100_000)}`],
  ])('%s is refused, and adds nothing', async (_, file) => {
    const key = await account();
    expect(await load(key, file)).toMatchObject({ status: 400, body: { error: { code: 'invalid_body' } } });
    expect(await listed(key)).toEqual([]);
  });

  test('must be CSV, and of a size', async () => {
    const key = await account();
    expect(await load(key, '{}', 'application/json')).toMatchObject({ status: 415 });
    expect(await load(key, 'address', 'text/plain')).toMatchObject({ status: 415 });
    expect(await load(key, Buffer.alloc(IMPORT_BODY_LIMIT_BYTES + 1, 'a'))).toMatchObject({ status: 413 });
  });

  test('of the most addresses is read in a thread, twice at once adds each once', async () => {
    const key = await account();
    const file = `address\n${Array.from({ length: IMPORT_LINES_MAX }, (_, i) => `a${i}@example.com\n`).join('')}`;
    const both = await Promise.all([load(key, file), load(key, file)]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    const created = both.map(({ body }) => body.created as number);
    expect(created[0]! + created[1]!).toBe(IMPORT_LINES_MAX);
    for (const { body } of both) expect(body.created + body.known).toBe(IMPORT_LINES_MAX);
  });

  test('fills the list to its limit, and no further', async () => {
    const { key, tenantId } = await makeTenant(service);
    await service.db.execute(
      `insert into suppressions (tenant_id, suppression_id, address, reason, source, created_at)
       select $1, gen_random_uuid(), 'full' || n || '@example.com', '', 'bounce', now()
         from generate_series(1, $2::integer) n`,
      [tenantId, SUPPRESSIONS_MAX - 1],
    );
    const { body } = await load(key, 'address\none@example.com\ntwo@example.com\nfull1@example.com');
    expect(body).toMatchObject({
      created: 1,
      known: 1,
      failed: 1,
      failures: [{ line: 3, error: { code: 'conflict', message: expect.stringContaining('100000') } }],
    });
  });
});

describe('the list as a file', () => {
  test('is what was filtered, safe in a spreadsheet, and can be imported', async () => {
    const key = await account();
    await service.call('POST', '/v1/suppressions', {
      key,
      body: { address: '"=cmd|x"@example.com', reason: '=HYPERLINK("http://evil.example")' },
    });
    await service.call('POST', '/v1/suppressions', {
      key,
      body: { address: '-1+1@example.com', reason: 'ñ, "x"' },
    });
    const { status, headers, body } = await save(key);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': 'attachment; filename="suppressions.csv"',
      'x-content-type-options': 'nosniff',
    });
    const rows = parse(body, { columns: true, bom: true }) as Record<string, string>[];
    expect(rows.map(({ address, reason, source }) => [address, reason, source])).toEqual([
      ["'-1+1@example.com", 'ñ, "x"', 'manual'],
      ["'=cmd|x@example.com", `'=HYPERLINK("http://evil.example")`, 'manual'],
    ]);
    const other = await account();
    expect((await load(other, body)).body).toMatchObject({ created: 2, failed: 0 });
    expect(await listed(other)).toEqual(await listed(key));
    expect((await save(key, '?source=bounce')).body).toBe(
      '\ufeffaddress,reason,source,message_id,created_at,id\r\n',
    );
    expect((await save(key, '?source=none')).status).toBe(400);
  });

  test("has every entry, whatever their number, and nobody else's", async () => {
    const key = await account();
    const file = `address\n${Array.from({ length: 2_500 }, (_, i) => `a${i}@example.com\n`).join('')}`;
    await load(key, file);
    const rows = parse((await save(key)).body, { columns: true, bom: true }) as Record<string, string>[];
    expect(new Set(rows.map(({ address }) => address)).size).toBe(2_500);
    expect(rows).toHaveLength(2_500);
  });
});
