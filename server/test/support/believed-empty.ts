import pg from 'pg';

/** A queue that PostgreSQL takes for empty, whatever is put into it: nothing analyzes it but the service. */
export interface BelievedEmpty {
  /** How many rows PostgreSQL believes that it has. */
  believed(): Promise<number>;
  close(): Promise<void>;
}

const PAGES_MIN = 20;

/**
 * `fill` puts some thousand rows into `table`, which are deleted again: vacuum leaves statistics of many
 * pages without rows, as of each queue that was once long and whose end could not be cut off.
 */
export async function believeEmpty(
  url: string,
  table: string,
  fill: () => Promise<unknown>,
): Promise<BelievedEmpty> {
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  const look = async () => {
    const { rows } = await owner.query('select relpages, reltuples from pg_class where oid = $1::regclass', [
      table,
    ]);
    return rows[0] as { relpages: number; reltuples: number };
  };
  await owner.query(`alter table ${table} set (autovacuum_enabled = off)`);
  await fill();
  await owner.query('begin');
  await owner.query('set local role acuse_worker');
  await owner.query(`delete from ${table}`);
  await owner.query('commit');
  await owner.query(`vacuum (analyze, truncate off) ${table}`);
  const { relpages, reltuples } = await look();
  if (reltuples !== 0 || relpages < PAGES_MIN) throw new Error(`${reltuples} rows in ${relpages} pages`);
  return {
    believed: async () => (await look()).reltuples,
    close: () => owner.end(),
  };
}
