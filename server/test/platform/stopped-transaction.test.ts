import { type TestDatabase, testDatabase } from '@acuse/testkit/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Db, openDb } from '../../src/platform/database/db.ts';
import { isUnavailable } from '../../src/platform/database/failures.ts';

let database: TestDatabase;
let db: Db;

beforeAll(async () => {
  database = await testDatabase();
  db = openDb({ connectionString: database.url, poolSize: 2, applicationName: 'test' });
});
afterAll(() => db.close());

test('a process that stops in the middle of a transaction does not hold its rows for ever', async () => {
  for (const ask of [
    (text: string) => db.query<{ value: string }>(text),
    (text: string) => db.transact((tx) => tx.query<{ value: string }>(text)),
  ]) {
    const [row] = await ask("select current_setting('idle_in_transaction_session_timeout') as value");
    expect(row!.value).toBe('8s');
  }
});

test('a transaction that the server ended so may succeed later', async () => {
  const stopped = db.transact(async (tx) => {
    await tx.query("select set_config('idle_in_transaction_session_timeout', '100', false)");
    await new Promise((resolve) => setTimeout(resolve, 600));
    await tx.query('select 1');
  });
  const error = await stopped.then(
    () => null,
    (reason) => reason,
  );
  expect(isUnavailable(error)).toBe(true);
});
