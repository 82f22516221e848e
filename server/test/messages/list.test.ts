import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MESSAGES_SCANNED_MAX, SCATTERED_SCANNED_MAX } from '../../src/messages/read-store.ts';
import { sealMessage } from '../support/sealed.ts';
import { newKey, startTestService, type TestService } from '../support/service.ts';
import { giveDomain, makeTenant, type TestTenant } from '../support/tenants.ts';

/** Finding messages: each filter alone, together, page by page, and among more than a page looks at. */
let service: TestService;
let tenant: TestTenant;
beforeAll(async () => {
  service = await startTestService();
  tenant = await makeTenant(service);
  await giveDomain(service, tenant.tenantId, 'find.example.com');
  await giveDomain(service, tenant.tenantId, 'sub.find.example.com');
  for (const [name, fields] of Object.entries(SENDS)) ids[name] = await send(fields);
  await service.db.transact(async (tx) => {
    const set = (id: string, change: string) =>
      tx.execute(`update messages set ${change} where message_id = $1`, [id]);
    await set(ids['sent']!, "status = 'sent', sent_at = created_at, next_attempt_at = null");
    await set(
      ids['bounced']!,
      "status = 'bounced', bounced_at = created_at, next_attempt_at = null, bounce_type = 'hard'",
    );
    // Waiting messages are found in their queue.
    await tx.execute(
      `insert into acknowledgements (tenant_id, message_id, token_sha256, until, status, source, decided_at,
         created_at)
       values ($1, $2, sha256('a'), now(), 'requested', null, null, now()),
         ($1, $3, sha256('b'), now(), 'refused', 'recipient_page', now(), now())`,
      [tenant.tenantId, ids['keyed'], ids['sent']],
    );
    await tx.execute('delete from delivery_queue where message_id = any ($1)', [
      [ids['sent'], ids['bounced']],
    ]);
  });
});
afterAll(() => service?.stop());

const SENDS: Record<string, object> = {
  plain: { certified: false, subject: '100% off_now \\ "today"' },
  sent: { to: 'José.Niño@Bücher.example', subject: 'Factura ÑANDÚ 7', tags: ['invoice'] },
  bounced: { from: 'Sub <news@sub.find.example.com>', metadata: { order: '2026-0001' } },
  keyed: { to: 'Ana <ANA@example.net>', metadata: { order: '', 'a=b:c': "x'y" } },
};
const ids: Record<string, string> = {};

async function send(fields: object, key = tenant.key): Promise<string> {
  const { status, body } = await service.call('POST', '/v1/messages', {
    body: { from: 'billing@find.example.com', to: 'bob@example.org', text: 'x', ...fields },
    headers: { 'idempotency-key': newKey() },
    key,
  });
  expect([status, body.error]).toEqual([201, undefined]);
  return body.id;
}

const list = (query: Record<string, string> | string, key = tenant.key) =>
  service.call('GET', `/v1/messages?${new URLSearchParams(query)}`, { key });

async function found(query: Record<string, string> | string): Promise<string[]> {
  const { status, body } = await list(query);
  expect([status, body.error]).toEqual([200, undefined]);
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]));
  return body.data.map(({ id }: { id: string }) => names.get(id));
}

describe('a filter', () => {
  test.each<[Record<string, string> | string, string[]]>([
    ['', ['keyed', 'bounced', 'sent', 'plain']],
    [{ status: 'sent' }, ['sent']],
    [{ status: 'sent,bounced' }, ['bounced', 'sent']],
    ['status=sent&status=bounced', ['bounced', 'sent']],
    ['status=sent&status=queued,bounced', ['keyed', 'bounced', 'sent', 'plain']],
    [{ status: 'complained' }, []],
    [{ certified: 'false' }, ['plain']],
    [{ sealed: 'true' }, []],
    [{ sealed: 'false' }, ['keyed', 'bounced', 'sent', 'plain']],
    [{ bounce_type: 'hard' }, ['bounced']],
    [{ bounce_type: 'soft,hard' }, ['bounced']],
    [{ bounce_type: 'soft' }, []],
    [{ acknowledgement: 'requested' }, ['keyed']],
    [{ acknowledgement: 'refused,requested' }, ['keyed', 'sent']],
    [{ acknowledgement: 'acknowledged' }, []],
    [{ acknowledgement: 'refused', status: 'sent' }, ['sent']],
    [{ acknowledgement: 'refused', status: 'queued' }, []],
    [{ acknowledgement: 'refused', q: 'ñandu' }, ['sent']],
    [{ acknowledgement: 'requested', to: 'ana@example.net' }, ['keyed']],
    [{ from: 'NEWS@sub.find.example.com' }, ['bounced']],
    [{ from: 'find.example.com' }, ['keyed', 'sent', 'plain']],
    [{ from: 'Sub.Find.Example.com' }, ['bounced']],
    [{ from: 'example.com' }, []],
    [{ to: 'ana@EXAMPLE.net' }, ['keyed']],
    [{ to: 'josé.niño@bücher.example' }, ['sent']],
    [{ to: 'josé.niño@xn--bcher-kva.example' }, ['sent']],
    [{ to: 'bücher.example' }, ['sent']],
    [{ to: 'example.org' }, ['bounced', 'plain']],
    [{ to: '%@example.org' }, []],
    [{ to: 'not an address' }, []],
    [{ subject: 'ñandú' }, ['sent']],
    [{ subject: '100% OFF_' }, ['plain']],
    [{ subject: '\\ "' }, ['plain']],
    [{ subject: '%' }, ['plain']],
    [{ subject: "'; drop table messages; --" }, []],
    [{ tag: 'invoice' }, ['sent']],
    [{ tag: 'INVOICE' }, []],
    [{ metadata_key: 'order' }, ['keyed', 'bounced']],
    [{ metadata_key: 'order', metadata_value: '2026-0001' }, ['bounced']],
    [{ metadata_key: 'order', metadata_value: '' }, ['keyed']],
    [{ metadata_key: 'a=b:c', metadata_value: "x'y" }, ['keyed']],
    [{ metadata_key: 'ORDER' }, []],
    [{ template_id: '01936B0E-7C2A-7D10-9C1E-5A0F3F6B2A11' }, []],
    [{ from: 'find.example.com', status: 'queued', certified: 'true' }, ['keyed']],
    [{ to: 'ana@example.net', status: 'sent' }, []],
    [
      { created_after: '2020-01-01T00:00:00Z', created_before: '2100-01-01T00:00:00Z', tag: 'invoice' },
      ['sent'],
    ],
    [{ created_before: '2020-01-01T00:00:00Z' }, []],
    [{ created_after: '2100-01-01T00:00:00+02:00' }, []],
  ])('%j', async (query, names) => {
    expect(await found(query)).toEqual(names);
  });

  test('of time is exact to the millisecond: from one moment on, before another', async () => {
    const { created_at: at } = (await service.call('GET', `/v1/messages/${ids['sent']}`, { key: tenant.key }))
      .body;
    const next = new Date(Date.parse(at) + 1).toISOString();
    expect(await found({ created_after: at, created_before: next, status: 'sent' })).toEqual(['sent']);
    expect(await found({ created_before: at, status: 'sent' })).toEqual([]);
    expect(await found({ created_after: next, status: 'sent' })).toEqual([]);
    expect(await found(`created_after=${at.replace('Z', '+00:00')}&status=sent`)).toEqual(['sent']);
  });

  test('sealed finds what has a constancia', async () => {
    const sealed = await sealMessage(service);
    const key = service.account.apiKey;
    expect((await list({ sealed: 'true' }, key)).body.data.map(({ id }: { id: string }) => id)).toEqual([
      sealed.id,
    ]);
    expect((await list({ sealed: 'false' }, key)).body.data).toEqual([]);
  });

  test('api_key_id finds what the key sent', async () => {
    const made = await service.call('POST', '/v1/api-keys', {
      body: { name: 'agent', scopes: ['messages:send'] },
      key: tenant.key,
    });
    const sent = await send({ tags: ['by-agent'] }, made.body.key);
    const query = { api_key_id: made.body.id.toUpperCase() };
    const { data } = (await list({ ...query, status: 'queued' })).body;
    expect(data.map(({ id }: { id: string }) => id)).toEqual([sent]);
    expect((await list({ ...query, status: 'sent' })).body.data).toEqual([]);
    await service.db.execute('delete from messages where message_id = $1', [sent]);
  });

  test('finds nothing of another account', async () => {
    const stranger = await makeTenant(service);
    for (const query of [{ to: 'ana@example.net' }, { from: 'find.example.com' }, { metadata_key: 'order' }])
      expect((await list(query, stranger.key)).body).toEqual({
        data: [],
        next_cursor: null,
        scanned_to: null,
      });
  });

  test.each([
    { status: 'open' },
    { status: 'sent,' },
    { status: '' },
    { bounce_type: 'hard,harder' },
    { acknowledgement: 'expired' },
    { acknowledgement: '' },
    { sealed: 'maybe' },
    { from: '' },
    { subject: '' },
    { subject: 'x'.repeat(201) },
    { subject: '\u0000' },
    { metadata_value: 'x' },
    { metadata_key: 'k', metadata_value: '\u0000' },
    { metadata_key: '' },
    { template_id: 'x' },
    { api_key_id: 'x' },
    { created_after: 'yesterday' },
    { created_after: '2026-11-20' },
    { created_before: '2026-13-01T00:00:00Z' },
    { created_before: '1969-12-31T23:59:59Z' },
    { created_after: '+275760-09-13T00:00:00Z' },
  ])('refuses %j', async (query) => {
    const { status, body } = await list(query as Record<string, string>);
    expect([status, body.error.code]).toEqual([400, 'invalid_parameter']);
    expect(body.error.message).toContain(Object.keys(query).at(-1)!);
  });

  test('with a cursor of other filters is refused, with its own it goes on', async () => {
    const first = (await list({ status: 'queued,sent,bounced', limit: '2' })).body;
    const rest = (await list({ status: 'queued,sent,bounced', limit: '3', after: first.next_cursor })).body;
    expect([...first.data, ...rest.data].map(({ id }) => id)).toEqual(
      ['keyed', 'bounced', 'sent', 'plain'].map((name) => ids[name]),
    );
    expect([rest.next_cursor, rest.scanned_to]).toEqual([null, null]);
    expect((await list({ status: 'queued', after: first.next_cursor })).status).toBe(400);
    expect((await list({ after: first.next_cursor })).status).toBe(400);
  });
});

describe('among more messages than a page looks at', () => {
  const COUNT = 2 * MESSAGES_SCANNED_MAX + 500;
  /** Three, two of them among those that the first page looks at. */
  const NEEDLE_EVERY = 0.6 * MESSAGES_SCANNED_MAX;
  const NEEDLES = [3, 2, 1].map((n) => `needle ${n * NEEDLE_EVERY}`);
  let crowd: TestTenant;
  beforeAll(async () => {
    crowd = await makeTenant(service);
    // Some have a subject of their own; every 2nd goes to one recipient.
    await service.db.execute(
      `insert into messages (tenant_id, message_id, idempotency_key, header_from, header_to, sender_address,
         recipient_address, reverse_path, subject, certified, status, size_bytes, created_at, next_attempt_at)
       select $1, (lpad(to_hex(1700000000000 + n), 12, '0') || '700080000000' || lpad(to_hex(n), 8, '0'))::uuid,
         'k' || n, 'a@b.test', 'c@d.test', 'a@b.test', case when n % 2 = 0 then 'busy@d.test' else 'c@d.test' end,
         'r@b.test', case when n % $3 = 0 then 'needle ' || n else 'hay' end, false, 'queued', 1,
         to_timestamp((1700000000000 + n) / 1000.0), now()
         from generate_series(1, $2::integer) n`,
      [crowd.tenantId, COUNT, NEEDLE_EVERY],
    );
    // Every 4th asks, and the needles among them were refused.
    await service.db.execute(
      `insert into acknowledgements (tenant_id, message_id, token_sha256, until, status, source, decided_at,
         created_at)
       select tenant_id, message_id, sha256(message_id::text::bytea), now(),
         case when subject like 'needle%' then 'refused' else 'acknowledged' end, 'recipient_page', now(),
         created_at
         from messages where tenant_id = $1 and mod(substring(idempotency_key from 2)::integer, 4) = 0`,
      [crowd.tenantId],
    );
  });

  async function walk(query: Record<string, string>) {
    const pages: { subjects: string[]; scannedTo: string | null }[] = [];
    for (let after: string | null = null; ; ) {
      const { status, body } = await list({ ...query, ...(after !== null && { after }) }, crowd.key);
      expect(status).toBe(200);
      pages.push({
        subjects: body.data.map(({ subject }: { subject: string }) => subject),
        scannedTo: body.scanned_to,
      });
      expect(pages.length).toBeLessThan(20);
      after = body.next_cursor;
      if (after === null) return pages;
    }
  }

  test('pages are short, say how far they looked, and miss nothing', async () => {
    const pages = await walk({ subject: 'NEEDLE' });
    expect(pages.flatMap(({ subjects }) => subjects)).toEqual(NEEDLES);
    expect(pages.map(({ subjects }) => subjects.length)).toEqual([2, 1, 0]);
    const scanned = pages.map(({ scannedTo }) => scannedTo);
    const at = (n: number) => new Date(1_700_000_000_000 + n).toISOString();
    expect(scanned).toEqual([
      at(COUNT - MESSAGES_SCANNED_MAX + 1),
      at(COUNT - 2 * MESSAGES_SCANNED_MAX + 1),
      null,
    ]);
  });

  test('a page that is full ends where it is full', async () => {
    const pages = await walk({ subject: 'needle', limit: '1' });
    expect(pages.flatMap(({ subjects }) => subjects)).toHaveLength(3);
    expect(pages[0]!.scannedTo).toBeNull();
  });

  test("one recipient's are looked at by themselves", async () => {
    const pages = await walk({ to: 'busy@d.test', subject: 'needle' });
    expect(pages.flatMap(({ subjects }) => subjects)).toEqual(NEEDLES);
    expect(pages.length).toBe(Math.ceil((COUNT / 2 + 1) / SCATTERED_SCANNED_MAX));
  });

  test('those that asked are looked at by themselves', async () => {
    const pages = await walk({ acknowledgement: 'refused' });
    expect(pages.flatMap(({ subjects }) => subjects)).toEqual(NEEDLES);
    expect(pages.length).toBe(Math.ceil((COUNT / 4 + 1) / SCATTERED_SCANNED_MAX));
    expect((await walk({ acknowledgement: 'requested' })).length).toBe(pages.length);
  });

  test('nothing is found in as many pages as it takes to look at all', async () => {
    expect((await walk({ metadata_key: 'nowhere' })).map(({ subjects }) => subjects)).toEqual([[], [], []]);
    expect((await walk({ to: 'nobody@d.test' })).length).toBe(1);
  });

  test("one recipient's come from their index in its order, under row-level security", async () => {
    const [plan] = await service.db.asTenant(crowd.tenantId, (tx) =>
      tx.query<{ 'QUERY PLAN': object }>(
        `explain (analyze, format json, timing off) select message_id from messages
          where tenant_id = $1 and recipient_key = 'busy@d.test' and message_id < $2
          order by message_id desc limit 21`,
        [crowd.tenantId, 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
      ),
    );
    const said = JSON.stringify(plan!['QUERY PLAN']);
    expect(said).toContain('messages_by_recipient');
    expect(said).not.toContain('"Sort"');
  });
});
