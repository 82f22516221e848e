import type { Queryable } from './db.ts';

type Statement = readonly [text: string, values?: readonly unknown[], name?: string];

/** The first row of a statement; null: it gave none. */
export async function first<R extends object>(db: Queryable, ...statement: Statement): Promise<R | null> {
  return (await db.query<R>(...statement))[0] ?? null;
}

/** The row of a statement that always gives one. */
export async function only<R extends object>(db: Queryable, ...statement: Statement): Promise<R> {
  return (await db.query<R>(...statement))[0]!;
}

/** True if a statement that concerns one row changed it. */
export async function changed(db: Queryable, ...statement: Statement): Promise<boolean> {
  return (await db.execute(...statement)) === 1;
}
