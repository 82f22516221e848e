import type { Queryable } from './db.ts';

export async function readClock(db: Queryable): Promise<Date> {
  const [row] = await db.query<{ now: Date }>('select clock_timestamp() as now', [], 'read_clock');
  return row!.now;
}
