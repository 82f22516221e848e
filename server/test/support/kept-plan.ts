import { type Db, openDb } from '../../src/platform/database/db.ts';
import { readInOrderByOnePlan } from '../../src/platform/database/read-in-order.ts';
import { literal } from './buffers.ts';

/** One connection of the service, and the plans of its named statements. */
export interface OneConnection {
  readonly db: Db;
  /** Plans made for the values of a call, and calls by the plan that is kept. */
  plansOf(name: string): Promise<{ made: number; kept: number }>;
  /** Buffers (8 kB) of a call by the plan that is kept. */
  buffersOf(name: string, values: readonly unknown[]): Promise<number>;
}

export function openOneConnection(url: string): OneConnection {
  const db = openDb({ connectionString: url, poolSize: 1, applicationName: 'test' });
  return {
    db,
    async plansOf(name) {
      const [row] = await db.query<{ made: number; kept: number }>(
        'select custom_plans as made, generic_plans as kept from pg_prepared_statements where name = $1',
        [name],
      );
      return row!;
    },
    buffersOf: (name, values) =>
      db.observe(async (tx) => {
        readInOrderByOnePlan(tx);
        const given = values.map(literal).join(', ');
        const [row] = await tx.query<{ 'QUERY PLAN': { Plan: Record<string, number> }[] }>(
          `explain (analyze, buffers, timing off, format json) execute ${name}(${given})`,
        );
        const plan = row!['QUERY PLAN'][0]!.Plan;
        return plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!;
      }),
  };
}
