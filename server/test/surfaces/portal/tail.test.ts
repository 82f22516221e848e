import { afterAll, beforeAll, expect, test } from 'vitest';
import { readTail, type TailBounds, type TailFilter } from '../../../src/surfaces/portal/tail-store.ts';
import { type Person, signedIn } from '../../support/people.ts';
import { sealMessage } from '../../support/sealed.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { makeTenant } from '../../support/tenants.ts';

/** The newest events with their messages: each filter, the bounds, and nobody else's. */
let service: TestService;
let viewer: Person;
const ids: string[] = [];
beforeAll(async () => {
  service = await startTestService();
  viewer = await signedIn(service, service.account.tenantId, 'viewer');
  ids.push((await sealMessage(service, { to: 'Luis <luis@sandbox.test>', subject: 'Contrato 77' })).id);
  for (const fields of [
    { to: 'ana@sandbox.test', subject: 'Factura', tags: ['invoice'] },
    { to: 'later@sandbox.test', subject: 'Later', send_at: new Date(Date.now() + 3_600_000).toISOString() },
  ])
    ids.push((await service.send({ certified: false, ...fields })).body.id);
});
afterAll(() => service?.stop());

async function tail(query: Record<string, string> = {}, person = viewer) {
  const { status, body } = await person.call('GET', `/tail?${new URLSearchParams(query)}`);
  expect([query, status]).toEqual([query, 200]);
  return body.data as { id: string; type: string; at: string; message_id: string; to: string }[];
}
const names = (rows: readonly { type: string; to: string }[]) => rows.map(({ type, to }) => `${type} ${to}`);

test('newest first: what was accepted, and what came of it', async () => {
  const rows = await tail();
  const [newest] = names(rows);
  expect(newest).toBe('email.queued ana@sandbox.test');
  expect(names(rows)).toContain('email.sealed Luis <luis@sandbox.test>');
  expect(names(rows)).not.toContain('email.queued later@sandbox.test');
  expect(rows.map(({ id }) => id)).toEqual(
    rows
      .map(({ id }) => id)
      .toSorted()
      .toReversed(),
  );
});

test('each filter leaves out what it does not name', async () => {
  expect(names(await tail({ tag: 'invoice' }))).toEqual(['email.queued ana@sandbox.test']);
  expect(names(await tail({ address: 'LUIS@sand', type: 'email.sealed' }))).toEqual([
    'email.sealed Luis <luis@sandbox.test>',
  ]);
  expect(await tail({ status: 'bounced' })).toEqual([]);
  expect(await tail({ address: 'nobody' })).toEqual([]);
  expect(await tail({ since: new Date(Date.now() + 60_000).toISOString() })).toEqual([]);
});

test('nobody sees another account', async () => {
  const stranger = await signedIn(service, (await makeTenant(service)).tenantId, 'owner');
  expect(await tail({}, stranger)).toEqual([]);
});

test('it says how far it looked, once there is more than it reads', async () => {
  const { tenantId } = service.account;
  const nothing: TailFilter = { types: null, statuses: null, address: null, tag: null };
  const read = (bounds: TailBounds, filter: Partial<TailFilter> = {}) =>
    service.db.asTenant(tenantId, (tx) =>
      readTail(tx, tenantId, '00000000-0000-0000-0000-000000000000', { ...nothing, ...filter }, bounds),
    );
  const all = await read({ scanned: 100, limit: 100 });
  expect(all.looked).toBeNull();
  const [first, second] = all.rows;
  const few = await read({ scanned: 2, limit: 100 }, { tag: 'invoice' });
  expect([few.rows.length, few.looked]).toEqual([1, second!.occurred_at]);
  const one = await read({ scanned: 100, limit: 1 });
  expect([one.rows, one.looked]).toEqual([[first], first!.occurred_at]);
});
