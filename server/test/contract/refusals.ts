import { expect, test } from 'vitest';
import { API_ERRORS, type ApiErrorCode } from '../../src/errors.ts';
import type { Db } from '../../src/platform/database/db.ts';
import { type CallOptions, newKey, type TestService } from '../support/service.ts';

/**
 * One sentence of the specification or of the contract that refuses something, as a request and its answer.
 */
export interface Refusal extends CallOptions {
  /** The refused request, in the words of a reader. */
  readonly name: string;
  readonly method?: string;
  readonly path?: string;
  readonly code: ApiErrorCode;
  /** Words that the message must have: the field, the bag, the scope. */
  readonly says?: string | RegExp;
  /** Tables that the request may write to all the same. */
  readonly writes?: readonly string[];
}

const REQUEST_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/**
 * A test a row: the right status and code, exactly the envelope, and not a row more in any table. Default
 * request: a send.
 */
export function refuses(service: () => TestService, rows: readonly Refusal[]): void {
  test.each(rows)('$name → $code', async (row) => {
    const before = await countRows(service().db);
    const answer = await service().call(row.method ?? 'POST', row.path ?? '/v1/messages', {
      ...row,
      headers: { ...(row.path === undefined && { 'idempotency-key': newKey() }), ...row.headers },
    });
    expect([answer.status, answer.body]).toEqual([
      API_ERRORS[row.code].status,
      { error: { code: row.code, message: messageOf(row.says) } },
    ]);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['request-id']).toMatch(REQUEST_ID);
    expect(answer.headers['link']).toContain(`</docs/errors#${row.code}>; rel="help"`);
    const after = await countRows(service().db);
    for (const table of row.writes ?? []) after[table] = before[table]!;
    expect(after).toEqual(before);
  });
}

function messageOf(says: Refusal['says']) {
  return typeof says === 'string' ? expect.stringContaining(says) : expect.stringMatching(says ?? /./);
}

let countStatement: string | undefined;

/** How many rows each table has. */
export async function countRows(db: Db): Promise<Record<string, number>> {
  if (countStatement === undefined) {
    const tables = await db.query<{ name: string }>(
      `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'public' and c.relkind = 'r' and has_table_privilege(c.oid, 'select')`,
    );
    countStatement = tables
      .map(({ name }) => `select '${name}' as name, count(*) as rows from "${name}"`)
      .join(' union all ');
  }
  const counts = await db.query<{ name: string; rows: number }>(countStatement);
  return Object.fromEntries(counts.map(({ name, rows }) => [name, rows]));
}

/** A send that is accepted as it stands. */
export const GOOD = {
  from: 'billing@sandbox.test',
  to: 'ana@sandbox.test',
  subject: 'Hello',
  text: 'Hello Ana',
} as const;
