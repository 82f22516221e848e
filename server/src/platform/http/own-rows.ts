import { apiError } from '../../errors.ts';
import type { Db, Tx } from '../database/db.ts';
import { isId } from '../ids.ts';
import { type Page, toPage } from './page.ts';

export interface PageOf<Item> {
  data: Item[];
  next_cursor: string | null;
}

/** One page of a tenant's rows, newest first by id. */
export async function readPage<Row, Item>(
  db: Db,
  tenantId: string,
  page: Page,
  list: (tx: Tx, tenantId: string, afterId: string | null, limit: number) => Promise<Row[]>,
  { idOf, present }: { idOf(row: Row): string; present(row: Row): Item },
): Promise<PageOf<Item>> {
  const rows = await db.asTenant(tenantId, (tx) => list(tx, tenantId, page.afterId, page.fetch));
  return toPage(rows, page, idOf, present);
}

/**
 * Returns what `work` finds or does for the row; throws not_found for null, false, and ids that are no UUID.
 */
export async function requireById<T>(
  db: Db,
  tenantId: string,
  id: string,
  work: (tx: Tx, tenantId: string, id: string) => Promise<T | null | false>,
): Promise<T> {
  const found = isId(id) ? await db.asTenant(tenantId, (tx) => work(tx, tenantId, id)) : null;
  if (found === null || found === false) throw apiError('not_found');
  return found;
}
