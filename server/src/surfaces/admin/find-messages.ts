import { readTenant, readTenants } from '../../accounts/tenants/operations.ts';
import type { Tenant } from '../../accounts/tenants/store.ts';
import { readSlice } from '../../messages/list.ts';
import { findMessage, type MessageFilter, type MessageRow } from '../../messages/read-store.ts';
import { FOUND_MAX, findNamed } from '../../messages/search/find.ts';
import type { DbAndClock } from '../../platform/database/db.ts';
import { type Page, writeCursor } from '../../platform/http/page.ts';

/**
 * Messages of any account, for its operator: by an id, an address or words of the recipient and of the
 * server's reply. The subject is closed to operators, and is not searched either.
 */
/** Messages per account when all are searched; the rest is asked for account by account. */
export const MESSAGES_PER_ACCOUNT = 5;
/** Looked through for one page; most have no such message, which costs a millisecond or two. */
export const ACCOUNTS_MAX = 100;
/** Searches of a page that went as far as one search may: 40 ms each. */
const LONG_SEARCHES_MAX = 10;

export interface Found {
  readonly tenant: Pick<Tenant, 'tenantId' | 'name'>;
  readonly row: MessageRow;
}

/** An account with more than is shown. */
export interface More {
  readonly tenant: Pick<Tenant, 'tenantId' | 'name'>;
  /** Older messages were not searched. */
  readonly scannedTo: Date | null;
}

export interface FoundPage {
  readonly found: Found[];
  readonly more: More[];
  readonly nextCursor: string | null;
}

export interface Wanted {
  /** Null: all messages that the filter lets through. */
  readonly text: string | null;
  readonly filter: MessageFilter;
}

/** Messages of one account, newest first. Throws not_found. */
export async function findOfAccount(
  deps: DbAndClock,
  tenantId: string,
  wanted: Wanted,
  page: Pick<Page, 'afterId' | 'limit' | 'list'>,
): Promise<FoundPage> {
  const tenant = await readTenant(deps, tenantId);
  const exact = await findExactly(deps, tenantId, wanted);
  const { rows, end } = exact ?? (await readSlice(deps.db, tenantId, wanted.filter, asked(page)));
  const shown = rows.slice(0, page.limit);
  const last = rows.length > page.limit ? shown.at(-1)!.message_id : (end?.message_id ?? null);
  return {
    found: shown.map((row) => ({ tenant, row })),
    more: end === null || rows.length > page.limit ? [] : [{ tenant, scannedTo: end.created_at }],
    nextCursor: last === null ? null : writeCursor(last, page.list),
  };
}

const asked = ({ afterId, limit }: Pick<Page, 'afterId' | 'limit'>) => ({ afterId, fetch: limit + 1 });

/** A few messages of each account, from the newest account on. A page may be short or empty. */
export async function findOfAll(
  deps: DbAndClock,
  wanted: Wanted,
  page: Pick<Page, 'afterId' | 'limit' | 'list'>,
): Promise<FoundPage> {
  const tenants = await readTenants(deps, page.afterId, ACCOUNTS_MAX + 1);
  const found: Found[] = [];
  const more: More[] = [];
  let long = 0;
  for (const [at, tenant] of tenants.entries()) {
    if (at === ACCOUNTS_MAX || found.length >= page.limit || long >= LONG_SEARCHES_MAX)
      return { found, more, nextCursor: writeCursor(tenants[at - 1]!.tenantId, page.list) };
    const { tenantId } = tenant;
    const fetch = MESSAGES_PER_ACCOUNT + 1;
    const { rows, end } =
      (await findExactly(deps, tenantId, wanted)) ??
      (await readSlice(deps.db, tenantId, wanted.filter, { afterId: null, fetch }));
    found.push(...rows.slice(0, MESSAGES_PER_ACCOUNT).map((row) => ({ tenant, row })));
    if (rows.length > MESSAGES_PER_ACCOUNT) more.push({ tenant, scannedTo: null });
    else if (end !== null) {
      more.push({ tenant, scannedTo: end.created_at });
      long++;
    }
  }
  return { found, more, nextCursor: null };
}

/** The thing that the text names, whatever the filter; null: nothing. */
async function findExactly(
  { db }: DbAndClock,
  tenantId: string,
  { text }: Wanted,
): Promise<{ rows: MessageRow[]; end: null } | null> {
  if (text === null) return null;
  return db.asTenant(tenantId, async (tx) => {
    const named = await findNamed(tx, tenantId, text);
    const ids = new Set(named.filter(({ kind }) => kind === 'message').map(({ id }) => id));
    const rows: MessageRow[] = [];
    for (const id of [...ids].sort().reverse().slice(0, FOUND_MAX)) {
      const row = await findMessage(tx, tenantId, id);
      if (row !== null) rows.push(row);
    }
    return rows.length === 0 ? null : { rows, end: null };
  });
}
