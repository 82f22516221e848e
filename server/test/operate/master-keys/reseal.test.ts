import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generateSecondKey } from '../../../src/evidence/log/second-key.ts';
import { insertSecondKey } from '../../../src/evidence/log/second-key-store.ts';
import { judge } from '../../../src/operate/doctor/master-keys.ts';
import { reseal, SEALED_TABLES } from '../../../src/operate/master-keys/reseal.ts';
import { OPERATORS } from '../../../src/people/operators/operator.ts';
import { USERS } from '../../../src/people/sessions/user.ts';
import type { Tx } from '../../../src/platform/database/db.ts';
import type { SealedTable } from '../../../src/platform/database/sealed-table.ts';
import { createSecretBox } from '../../../src/platform/secrets.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const OLD = randomBytes(32);
const NEW = randomBytes(32);
const base64 = (...keys: Buffer[]) => keys.map((key) => key.toString('base64')).join(',');
let service: TestService;

const within = <T>(table: SealedTable, work: (tx: Tx) => Promise<T>) =>
  table.as === 'sessions' ? service.db.asSessions(work) : service.db.transact(work);
const rowsOf = (table: SealedTable) => within(table, (tx) => table.read(tx, null, 1_000));

/** A person, or an operator, with both secrets of an authenticator app. */
async function addPerson(table: SealedTable, id: string): Promise<void> {
  const own = table === USERS.sealed ? ['users', 'user_id'] : ['operators', 'operator_id, role'];
  const role = table === USERS.sealed ? '' : ", 'admin'";
  await within(table, (tx) =>
    tx.execute(
      `insert into ${own[0]} (${own[1]}, email, email_key, name, time_zone, created_at, updated_at)
       values ($1${role}, $2, $2, 'Ana', 'UTC', now(), now())`,
      [id, `${id}@x.test`],
    ),
  );
  const [row] = (await rowsOf(table)).filter(({ ids }) => ids[0] === id);
  const box = createSecretBox([OLD]);
  const seals = [1, 2].map(() => box.seal(randomBytes(20), row!.context));
  expect(await within(table, (tx) => table.replace(tx, row!, seals))).toBe(true);
}

beforeAll(async () => {
  service = await startTestService({
    environment: { ACUSE_MASTER_KEY: base64(OLD), ACUSE_WEBHOOK_ALLOW_PRIVATE: 'true' },
  });
  const { logId } = service.services.logSigner;
  const second = await generateSecondKey(logId, new Date(), createSecretBox([OLD]));
  await service.db.transact((tx) => insertSecondKey(tx, second));
  const created = await service.call('POST', '/v1/webhooks', {
    body: { url: 'http://127.0.0.1:9/hook', events: ['*'] },
  });
  expect(created.status).toBe(201);
  await service.call('POST', `/v1/webhooks/${created.body.id}/rotate-secret`);
  for (let each = 0; each < 3; each++) {
    const id = `00000000-0000-7000-8000-00000000000${each}`;
    await addPerson(USERS.sealed, id);
    await addPerson(OPERATORS.sealed, id);
  }
});
afterAll(() => service.stop());

/** The content of each secret, by its place. */
async function secretsOf(keys: readonly Buffer[]): Promise<Map<string, string>> {
  const box = createSecretBox(keys);
  const found = new Map<string, string>();
  for (const table of SEALED_TABLES)
    for (const { ids, sealed, context } of await rowsOf(table))
      for (const [at, bytes] of sealed.entries())
        if (bytes !== null && bytes.length > 0)
          found.set(`${table.table} ${ids} ${table.columns[at]}`, box.open(bytes, context).toString('hex'));
  return found;
}

test('every column of the schema that is sealed is one of a table that is sealed again', async () => {
  const columns = await service.db.query<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns
     where table_schema = 'public' and data_type = 'bytea' and column_name like '%sealed%'`,
  );
  // information_schema shows what a login may see: the role of people has its own.
  const ofPeople = await service.db.asSessions((tx) =>
    tx.query<{ name: string }>(
      `select table_name || '.' || column_name as name from information_schema.columns
       where table_schema = 'public' and data_type = 'bytea' and column_name like '%sealed%'`,
    ),
  );
  const listed = SEALED_TABLES.flatMap(({ table, columns: names }) =>
    names.map((name) => `${table}.${name}`),
  );
  expect([...new Set([...columns, ...ofPeople].map(({ name }) => name))].sort()).toEqual(listed.sort());
});

describe('a new master key', () => {
  test('in front of the old one: a dry run counts, and changes nothing', async () => {
    const before = await secretsOf([OLD]);
    for (const { table, columns } of SEALED_TABLES)
      for (const column of columns)
        expect(
          [...before.keys()].filter((key) => key.startsWith(`${table} `) && key.endsWith(column)),
          column,
        ).not.toEqual([]);
    const tables = await reseal(service.db, { masterKeys: [NEW, OLD], dryRun: true });
    expect(tables.every(({ byKey, unopened, resealed }) => byKey[0] === 0 && unopened + resealed === 0)).toBe(
      true,
    );
    expect(tables.reduce((all, { byKey }) => all + byKey[1]!, 0)).toBe(before.size);
    expect(judge(tables)).toMatchObject([{ status: 'advice', detail: expect.stringMatching(/2 of logs/) }]);
    expect(await secretsOf([OLD])).toEqual(before);
  });

  test('without it: the doctor says what serve refuses', async () => {
    const tables = await reseal(service.db, { masterKeys: [NEW], dryRun: false });
    expect(judge(tables)).toMatchObject([
      { status: 'problem', detail: expect.stringMatching(/does not open 2 of logs.*serve refuses to start/) },
    ]);
    await expect(
      startTestService({
        databaseUrl: service.databaseUrl,
        environment: { ACUSE_MASTER_KEY: base64(NEW) },
      }),
    ).rejects.toThrow(/no master key opens/);
  });

  test('broken off and run again: everything is as it was under the new one alone, and a service starts on it', async () => {
    const before = await secretsOf([OLD]);
    const stop = new AbortController();
    await expect(
      reseal(service.db, {
        ...{ masterKeys: [NEW, OLD], dryRun: false, signal: stop.signal },
        onPage: ({ table }) => table === 'dkim_keys' && stop.abort(),
      }),
    ).rejects.toThrow();
    const tables = await reseal(service.db, { masterKeys: [NEW, OLD], dryRun: false });
    expect(tables.find(({ table }) => table === 'logs')).toMatchObject({ byKey: [2, 0], resealed: 0 });
    expect(tables.find(({ table }) => table === 'users')).toMatchObject({ byKey: [6, 0], resealed: 6 });
    expect(await secretsOf([NEW])).toEqual(before);
    const alone = await reseal(service.db, { masterKeys: [NEW], dryRun: true });
    expect(judge(alone)).toMatchObject([{ status: 'ok' }]);
    const next = await startTestService({
      databaseUrl: service.databaseUrl,
      environment: { ACUSE_MASTER_KEY: base64(NEW) },
    });
    expect((await next.send()).status).toBe(201);
    await next.stop();
  });

  test('a secret that somebody changed meanwhile is left', async () => {
    const [row] = await rowsOf(USERS.sealed);
    const other = createSecretBox([NEW]).seal(Buffer.from('newer'), row!.context);
    const replace = (sealed: (Uint8Array | null)[]) =>
      within(USERS.sealed, (tx) => USERS.sealed.replace(tx, row!, sealed));
    expect(await replace([other, row!.sealed[1]!])).toBe(true);
    expect(await replace([row!.sealed[0]!, row!.sealed[1]!])).toBe(false);
  });
});
