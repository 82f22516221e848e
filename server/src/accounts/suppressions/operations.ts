import { apiError } from '../../errors.ts';
import type { DbAndClock, Tx } from '../../platform/database/db.ts';
import { idRange, readCreated } from '../../platform/http/created-query.ts';
import { type PageOf, readPage, requireById } from '../../platform/http/own-rows.ts';
import type { Page } from '../../platform/http/page.ts';
import { newId } from '../../platform/ids.ts';
import { readAddress } from './address.ts';
import {
  deleteGlobalSuppression,
  deleteSuppression,
  findSuppression,
  type GlobalSuppression,
  type GlobalSuppressionFilter,
  hasSuppressions,
  insertGlobalSuppression,
  insertSuppression,
  listGlobalSuppressions,
  listSuppressions,
  type Suppression,
  type SuppressionSource,
} from './store.ts';

/** By the API; automatic ones are unlimited. */
export const SUPPRESSIONS_MAX = 100_000;
export const MANUAL_REASON = 'Added manually.';

/** `created` false: already listed, unchanged. Throws invalid_address, conflict. */
export function addSuppression(
  deps: DbAndClock,
  tenantId: string,
  input: { address: string; reason?: string | undefined },
): Promise<{ created: boolean; entry: Suppression }> {
  const address = readAddress(input.address);
  const createdAt = deps.clock.now();
  const entry: Suppression = {
    suppressionId: newId(createdAt.getTime()),
    address,
    reason: input.reason ?? MANUAL_REASON,
    source: 'manual',
    messageId: null,
    createdAt,
  };
  return deps.db.asTenant(tenantId, async (tx) => {
    const known = await findSuppression(tx, tenantId, address);
    if (known !== null) return { created: false, entry: known };
    if (await hasSuppressions(tx, tenantId, SUPPRESSIONS_MAX)) {
      throw apiError(
        'conflict',
        `Limit of ${SUPPRESSIONS_MAX} suppressed addresses per list reached: delete some first.`,
      );
    }
    const created = await insertSuppression(tx, tenantId, entry);
    return { created, entry: created ? entry : ((await findSuppression(tx, tenantId, address)) ?? entry) };
  });
}

/** In the recording transaction. Existing entries stay. */
export async function recordSuppression(
  tx: Tx,
  tenantId: string,
  entry: {
    suppressionKey: string;
    reason: string;
    source: 'bounce' | 'complaint';
    messageId: string;
    at: Date;
  },
): Promise<void> {
  await insertSuppression(tx, tenantId, {
    suppressionId: newId(entry.at.getTime()),
    address: entry.suppressionKey,
    reason: entry.reason,
    source: entry.source,
    messageId: entry.messageId,
    createdAt: entry.at,
  });
}

interface SuppressionQuery {
  address?: string | undefined;
  source?: SuppressionSource | undefined;
  created_after?: string | undefined;
  created_before?: string | undefined;
}

export function readSuppressions<Item>(
  deps: Pick<DbAndClock, 'db'>,
  tenantId: string,
  filter: SuppressionQuery,
  page: Page,
  present: (row: Suppression) => Item,
): Promise<PageOf<Item>> {
  const wanted = wantedOf(filter);
  const list = (tx: Tx, owner: string, afterId: string | null, limit: number) =>
    listSuppressions(tx, owner, wanted, idRange(wanted, afterId), limit);
  return readPage(deps.db, tenantId, page, list, { idOf: (row) => row.suppressionId, present });
}

const EXPORT_PAGE_ROWS = 1_000;

export async function* exportSuppressions(
  { db }: Pick<DbAndClock, 'db'>,
  tenantId: string,
  filter: SuppressionQuery,
): AsyncGenerator<readonly Suppression[], void> {
  const wanted = wantedOf(filter);
  for (let afterId: string | null = null; ; ) {
    const range = idRange(wanted, afterId);
    const rows = await db.asTenant(tenantId, (tx) =>
      listSuppressions(tx, tenantId, wanted, range, EXPORT_PAGE_ROWS),
    );
    if (rows.length > 0) yield rows;
    if (rows.length < EXPORT_PAGE_ROWS) return;
    afterId = rows.at(-1)!.suppressionId;
  }
}

function wantedOf(filter: SuppressionQuery) {
  const address = filter.address === undefined ? null : readAddress(filter.address, 'invalid_parameter');
  return { address, source: filter.source ?? null, ...readCreated(filter) };
}

export async function removeSuppression(
  deps: Pick<DbAndClock, 'db'>,
  tenantId: string,
  suppressionId: string,
): Promise<void> {
  await requireById(deps.db, tenantId, suppressionId, deleteSuppression);
}

export function addGlobalSuppression(
  deps: DbAndClock,
  input: { address: string; reason?: string },
): Promise<boolean> {
  const entry = {
    address: readAddress(input.address),
    reason: input.reason ?? MANUAL_REASON,
    createdAt: deps.clock.now(),
  };
  return deps.db.transact((tx) => insertGlobalSuppression(tx, entry));
}

export function removeGlobalSuppression(deps: Pick<DbAndClock, 'db'>, address: string): Promise<boolean> {
  const key = readAddress(address);
  return deps.db.transact((tx) => deleteGlobalSuppression(tx, key));
}

interface GlobalSuppressionQuery {
  /** Part of the address, whatever its case. */
  readonly q?: string | undefined;
  readonly created_after?: string | undefined;
  readonly created_before?: string | undefined;
}

/** By address. Throws invalid_parameter. */
export async function readGlobalSuppressions(
  deps: Pick<DbAndClock, 'db'>,
  query: GlobalSuppressionQuery,
  after: string,
  limit: number,
): Promise<GlobalSuppression[]> {
  return listGlobalSuppressions(deps.db, globalFilter(query), after, limit);
}

function globalFilter(query: GlobalSuppressionQuery): GlobalSuppressionFilter {
  return { part: query.q?.toLowerCase() ?? '', ...readCreated(query) };
}

/** By address. Throws invalid_parameter. */
export async function* exportGlobalSuppressions(
  deps: Pick<DbAndClock, 'db'>,
  query: GlobalSuppressionQuery,
): AsyncGenerator<readonly GlobalSuppression[], void> {
  const filter = globalFilter(query);
  for (let after = ''; ; ) {
    const rows = await listGlobalSuppressions(deps.db, filter, after, EXPORT_PAGE_ROWS);
    if (rows.length > 0) yield rows;
    if (rows.length < EXPORT_PAGE_ROWS) return;
    after = rows.at(-1)!.address;
  }
}
