import { type Static, Type } from 'typebox';
import type { Db } from '../../platform/database/db.ts';
import { closed, Id } from '../../platform/http/api-schema.ts';
import { CREATED_QUERY, idRange, readCreated } from '../../platform/http/created-query.ts';
import type { CsvColumns } from '../../platform/http/csv.ts';
import type { PageOf } from '../../platform/http/own-rows.ts';
import { PAGE_QUERY, parsePage, toPage } from '../../platform/http/page.ts';
import { readIdParameter } from '../../platform/http/url-parameters.ts';
import { type AccountEvent, type AccountEventFilter, listAccountEvents } from './account-events-store.ts';
import { type AccountEventSchema, presentAccountEvent } from './present.ts';

const ACTION_MAX_CHARS = 64;
const TARGET_MAX_CHARS = 320;
/** Bounds an export's memory. */
const EXPORT_PAGE_ROWS = 1_000;

const FILTERS = {
  action: Type.Optional(
    Type.String({
      maxLength: ACTION_MAX_CHARS,
      pattern: '^[a-z_]+$',
      description: 'Only this operation.',
      examples: ['invite_member'],
    }),
  ),
  actor_id: Type.Optional({ ...Id, description: 'Only what this person, key or operator did.' }),
  target: Type.Optional(
    Type.String({
      maxLength: TARGET_MAX_CHARS,
      pattern: '^[^\\x00]+$',
      description: 'Only what was done to this id or address.',
      examples: ['luis@example.com'],
    }),
  ),
  ...CREATED_QUERY,
};

export const ACCOUNT_EVENT_QUERY = closed({ ...PAGE_QUERY, ...FILTERS });
export const ACCOUNT_EVENT_FILTERS = closed(FILTERS);

type Filters = Static<typeof ACCOUNT_EVENT_FILTERS>;
type ListRequest = Parameters<typeof parsePage>[0] & { readonly query: Filters };

export async function readAccountEvents(
  db: Db,
  tenantId: string,
  request: ListRequest,
): Promise<PageOf<Static<typeof AccountEventSchema>>> {
  const page = parsePage(request);
  const filter = readFilter(request.query);
  const range = idRange(filter, page.afterId);
  const rows = await db.asTenant(tenantId, (tx) =>
    listAccountEvents(tx, tenantId, range, filter, page.fetch),
  );
  return toPage(rows, page, (event) => event.eventId, presentAccountEvent);
}

export async function* exportAccountEvents(
  db: Db,
  tenantId: string,
  query: Filters,
): AsyncGenerator<readonly AccountEvent[], void> {
  const filter = readFilter(query);
  for (let afterId: string | null = null; ; ) {
    const range = idRange(filter, afterId);
    const rows = await db.asTenant(tenantId, (tx) =>
      listAccountEvents(tx, tenantId, range, filter, EXPORT_PAGE_ROWS),
    );
    if (rows.length > 0) yield rows;
    if (rows.length < EXPORT_PAGE_ROWS) return;
    afterId = rows.at(-1)!.eventId;
  }
}

export const ACCOUNT_EVENT_COLUMNS: CsvColumns<AccountEvent> = {
  id: (event) => event.eventId,
  occurred_at: (event) => event.occurredAt,
  actor_kind: (event) => event.actorKind,
  actor_id: (event) => event.actorId,
  actor_name: (event) => event.actorName,
  action: (event) => event.action,
  target: (event) => event.target,
  before: (event) => jsonOf(event.before),
  after: (event) => jsonOf(event.after),
  client_address: (event) => event.clientAddress,
  request_id: (event) => event.requestId,
};

function jsonOf(facts: object | null): string | null {
  return facts === null ? null : JSON.stringify(facts);
}

function readFilter(query: Filters): AccountEventFilter {
  const { action = null, actor_id: actorId, target = null } = query;
  return {
    ...readCreated(query),
    action,
    actorId: actorId === undefined ? null : readIdParameter('actor_id', actorId),
    target,
  };
}
