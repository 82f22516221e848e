import pg from 'pg';
import type { Row, Tx } from '../../src/platform/database/db.ts';

/** Reads of a statement, as PostgreSQL counts them: they do not depend on what else the machine does. */
export interface Buffers {
  /**
   * Runs what `work` asks, undoes it, and returns the buffers (8 kB) of all its statements together: the
   * larger figure of the plan made for their own values and of the one for all values alike, which only a
   * statement with a name can get.
   */
  of(work: (tx: Tx) => Promise<unknown>): Promise<number>;
  /** As `of`, as a request of this account. */
  asTenant(tenantId: string, work: (tx: Tx) => Promise<unknown>): Promise<number>;
  /**
   * As `asTenant`, of the part that passes over most rows how many these are. An index that is read without
   * its table has hundreds of rows in a buffer, so that reading all of it shows here first.
   */
  rowsAsTenant(tenantId: string, work: (tx: Tx) => Promise<unknown>): Promise<number>;
  close(): Promise<void>;
}

interface Plan {
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

interface Read {
  readonly buffers: number;
  readonly rows: number;
}

/** Of the part of a plan that passes over most rows. */
function rowsOf(plan: Plan): number {
  const passed = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0);
  return Math.max(passed * plan['Actual Loops'], ...(plan.Plans ?? []).map(rowsOf));
}

export async function openBuffers(url: string): Promise<Buffers> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();

  async function readBy(text: string, values: readonly unknown[]): Promise<Read> {
    await client.query(`prepare measured as ${text}`);
    try {
      const given = values.length === 0 ? '' : `(${values.map(literal).join(', ')})`;
      const { rows } = await client.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
        `explain (analyze, buffers, timing off, format json) execute measured${given}`,
      );
      const plan = rows[0]!['QUERY PLAN'][0]!.Plan;
      return { buffers: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], rows: rowsOf(plan) };
    } finally {
      await client.query('deallocate measured');
    }
  }

  /** `tenantId`: as a request of that account; null: as a worker. */
  async function under(
    named: 'force_custom_plan' | 'force_generic_plan',
    tenantId: string | null,
    work: (tx: Tx) => Promise<unknown>,
  ): Promise<Read> {
    let [buffers, rows] = [0, 0];
    const run = async (text: string, values: readonly unknown[] = [], name?: string) => {
      await client.query(`set local plan_cache_mode = ${name === undefined ? 'force_custom_plan' : named}`);
      await client.query('savepoint measured');
      const read = await readBy(text, values);
      buffers += read.buffers;
      rows = Math.max(rows, read.rows);
      await client.query('rollback to measured');
      return client.query(text, values as unknown[]);
    };
    // In the order in which they were sent, each after the one before.
    let last: Promise<unknown> = Promise.resolve();
    const inTurn = (text: string, values?: readonly unknown[], name?: string) => {
      const ran = last.then(() => run(text, values, name));
      last = ran;
      return ran;
    };
    await client.query('begin');
    try {
      await client.query(`set local role ${tenantId === null ? 'acuse_worker' : 'acuse_request'}`);
      if (tenantId !== null) await client.query(`set local acuse.tenant_id = '${tenantId}'`);
      await work({
        kind: 'tx',
        distributed: false,
        query: async <R extends object = Row>(text: string, values?: readonly unknown[], name?: string) =>
          (await inTurn(text, values, name)).rows as R[],
        execute: async (text, values, name) => (await inTurn(text, values, name)).rowCount ?? 0,
        copyOut: () => Promise.reject(new Error('the buffers of a copy are not measured')),
        send: (text, values, name) => void inTurn(text, values, name),
        note() {},
        onEnd() {},
      });
      await last;
    } finally {
      await client.query('rollback');
      // Of a statement that failed.
      await client.query('deallocate all');
    }
    return { buffers, rows };
  }

  async function most(tenantId: string | null, work: (tx: Tx) => Promise<unknown>): Promise<Read> {
    const own = await under('force_custom_plan', tenantId, work);
    const any = await under('force_generic_plan', tenantId, work);
    return { buffers: Math.max(own.buffers, any.buffers), rows: Math.max(own.rows, any.rows) };
  }

  return {
    of: async (work) => (await most(null, work)).buffers,
    asTenant: async (tenantId, work) => (await most(tenantId, work)).buffers,
    rowsAsTenant: async (tenantId, work) => (await most(tenantId, work)).rows,
    close: () => client.end(),
  };
}

export function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Buffer.isBuffer(value)) return pg.escapeLiteral(`\\x${value.toString('hex')}`);
  if (!Array.isArray(value)) return pg.escapeLiteral(String(value));
  return pg.escapeLiteral(`{${value.map((each) => (each === null ? 'null' : `"${each}"`)).join(',')}}`);
}
