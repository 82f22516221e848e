import { type Static, Type } from 'typebox';
import { apiError } from '../../errors.ts';
import { readMessageFilter } from '../../messages/list-filter.ts';
import { bounceOfRow, deferralOfRow, MessageStatus } from '../../messages/present.ts';
import { addressOf } from '../../messages/search/find.ts';
import {
  closed,
  errorAnswers,
  Id,
  NO_CONTROLS,
  named,
  nullable,
  otherContent,
  Timestamp,
} from '../../platform/http/api-schema.ts';
import { CREATED_QUERY } from '../../platform/http/created-query.ts';
import { CSV, type CsvColumns, sendCsv } from '../../platform/http/csv.ts';
import type { Doors } from '../../platform/http/door.ts';
import {
  MAX_PAGE_LIMIT,
  PAGE_QUERY,
  type Page,
  pageSchema,
  parsePage,
  readPageQuery,
} from '../../platform/http/page.ts';
import { readIdParameter } from '../../platform/http/url-parameters.ts';
import {
  BounceReason,
  BounceSchema,
  DecidingReply,
  DeferralSchema,
} from '../../platform/smtp/smtp-schema.ts';
import { BY_SUPPORT } from './access.ts';
import type { AdminDeps } from './deps.ts';
import {
  ACCOUNTS_MAX,
  type Found,
  type FoundPage,
  findOfAccount,
  findOfAll,
  MESSAGES_PER_ACCOUNT,
} from './find-messages.ts';

const TEXT_MAX_CHARS = 320;
/** More is asked for account by account (messages). */
export const FOUND_EXPORT_MAX = 10_000;

const FILTERS = {
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: TEXT_MAX_CHARS,
      pattern: NO_CONTROLS,
      description:
        "An id of the message, its Message-ID, an idempotency key or a hash of its evidence, whatever the other filters; else an address, or words of the recipient's name, parts of the address, or the id that the receiving server gave the message. Subjects are not searched: they are closed to operators.",
      examples: ['ana@example.com'],
    }),
  ),
  tenant_id: Type.Optional({ ...Id, description: 'Only messages of this account.' }),
  status: Type.Optional(
    Type.Array(MessageStatus, { minItems: 1, description: 'Messages in one of these states.' }),
  ),
  bounce_reason: Type.Optional(
    Type.Array(BounceReason, { minItems: 1, description: 'Messages that bounced for one of these reasons.' }),
  ),
  reason: Type.Optional(
    Type.Array(BounceReason, {
      minItems: 1,
      description: 'Messages that bounced, or wait for another attempt, for one of these reasons.',
    }),
  ),
  ...CREATED_QUERY,
};
const Filters = closed(FILTERS);

const FoundMessage = named('FoundMessage', {
  id: Id,
  tenant_id: Id,
  tenant_name: Type.String({ examples: ['Example S.A.'] }),
  created_at: Timestamp,
  status: MessageStatus,
  from: Type.String({ examples: ['billing@example.com'] }),
  to: Type.String({ examples: ['Ana García <ana@example.net>'] }),
  certified: Type.Boolean(),
  sealed_at: nullable(Timestamp),
  last_reply: nullable(DecidingReply),
  bounce: nullable(BounceSchema, 'How and why it bounced; null: it did not.'),
  deferral: nullable(DeferralSchema, 'Why it was deferred; null: it is not.'),
});

const MoreOfAccount = named('MoreOfAccount', {
  tenant_id: Id,
  tenant_name: Type.String({ examples: ['Example S.A.'] }),
  scanned_to: nullable(Timestamp, 'Older messages were not looked at; null: it has more than are shown.'),
});

const FoundList = pageSchema(FoundMessage, {
  more: Type.Array(MoreOfAccount, {
    description: 'Accounts that may have more than is shown: ask for each with tenant_id.',
  }),
});

/** One search over the messages of all accounts; each is recorded. */
export function findRoutes(doors: Doors, deps: AdminDeps): void {
  doors.get(
    '/messages',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'findMessages',
        summary: 'Find messages of any account',
        description: `Without tenant_id, account by account from the newest, ${MESSAGES_PER_ACCOUNT} messages of each at most, newest first: a page looks through up to ${ACCOUNTS_MAX} accounts, so that it may be short or empty before the last one. With tenant_id, all of that account's. Subjects and contents are closed to operators. Who looked for what is in the audit log.`,
        querystring: closed({ ...PAGE_QUERY, ...FILTERS }),
        response: { 200: FoundList, ...errorAnswers('not_found') },
      },
    },
    (request) => {
      const page = parsePage(request);
      const what = { action: 'message.search', ...whatOf(request.query) };
      return deps.audit.change(request, what, async () => {
        const answer = present(await find(deps, request.query, page));
        return { answer, after: { ...filtersOf(request.query), messages: answer.data.length } };
      });
    },
  );

  doors.get(
    '/messages/export',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'exportFoundMessages',
        summary: 'Export found messages as CSV',
        description: `What the search finds, up to ${FOUND_EXPORT_MAX} messages, as UTF-8 with a header line. A cell that a spreadsheet would take for a formula starts with an apostrophe. It is in the audit log, too.`,
        querystring: Filters,
        response: {
          200: otherContent(CSV, 'The messages.', `${Object.keys(COLUMNS).join(',')}\r\n`),
          ...errorAnswers('not_found'),
        },
      },
    },
    async (request, reply) => {
      const what = { action: 'message.export', ...whatOf(request.query) };
      const pages = exported(deps, request.query);
      return deps.audit.change(request, what, async () => {
        const answer = await sendCsv(reply, 'messages.csv', COLUMNS, pages);
        return { answer: answer as never, after: filtersOf(request.query) };
      });
    },
  );
}

type Given = Static<typeof Filters>;
type Asked = Pick<Page, 'afterId' | 'limit' | 'list'>;

function find(deps: AdminDeps, { q, tenant_id: tenant, ...rest }: Given, page: Asked): Promise<FoundPage> {
  if (q === undefined && tenant === undefined)
    throw apiError('invalid_parameter', 'Say what to look for: q, tenant_id, or both.');
  const text = q?.trim() ?? null;
  const address = text === null ? null : addressOf(text);
  const looked = address !== null ? { to: address } : text === null || text === '' ? {} : { q: text };
  const filter = { ...readMessageFilter({ ...rest, ...looked }), closedSubject: true };
  const wanted = { text: text === '' ? null : text, filter };
  return tenant === undefined
    ? findOfAll(deps, wanted, page)
    : findOfAccount(deps, readIdParameter('tenant_id', tenant), wanted, page);
}

async function* exported(deps: AdminDeps, given: Given): AsyncGenerator<readonly Found[], void> {
  let left = FOUND_EXPORT_MAX;
  for (let after: string | undefined; left > 0; ) {
    const page = readPageQuery({ limit: MAX_PAGE_LIMIT, after }, 'found messages');
    const { found, nextCursor } = await find(deps, given, page);
    if (found.length > 0) yield found.slice(0, left);
    left -= found.length;
    if (nextCursor === null) return;
    after = nextCursor;
  }
}

const COLUMNS: CsvColumns<Found> = {
  id: ({ row }) => row.message_id,
  tenant_id: ({ tenant }) => tenant.tenantId,
  tenant_name: ({ tenant }) => tenant.name,
  created_at: ({ row }) => row.created_at,
  status: ({ row }) => row.status,
  from: ({ row }) => row.header_from,
  to: ({ row }) => row.header_to,
  certified: ({ row }) => row.certified,
  sealed_at: ({ row }) => row.sealed_at,
  reply_code: ({ row }) => row.last_reply?.code ?? null,
  reply_text: ({ row }) => row.last_reply?.text ?? null,
  bounce_type: ({ row }) => row.bounce_type,
  bounce_reason: ({ row }) => bounceOfRow(row)?.reason ?? null,
  deferral_reason: ({ row }) => deferralOfRow(row)?.reason ?? null,
};

function present({ found, more, nextCursor }: FoundPage): Static<typeof FoundList> {
  return {
    data: found.map(({ tenant, row }) => ({
      id: row.message_id,
      tenant_id: tenant.tenantId,
      tenant_name: tenant.name,
      created_at: row.created_at.toISOString(),
      status: row.status,
      from: row.header_from,
      to: row.header_to,
      certified: row.certified,
      sealed_at: row.sealed_at?.toISOString() ?? null,
      last_reply: row.last_reply,
      bounce: bounceOfRow(row),
      deferral: deferralOfRow(row),
    })),
    next_cursor: nextCursor,
    more: more.map(({ tenant, scannedTo }) => ({
      tenant_id: tenant.tenantId,
      tenant_name: tenant.name,
      scanned_to: scannedTo?.toISOString() ?? null,
    })),
  };
}

const whatOf = ({ q, tenant_id }: Given) => ({ tenantId: tenant_id ?? null, subject: q ?? null });

function filtersOf({ q: _q, tenant_id: _tenant, ...rest }: Given): Record<string, unknown> {
  const { status, bounce_reason, reason, created_after, created_before } = rest;
  return Object.fromEntries(
    Object.entries({ status, bounce_reason, reason, created_after, created_before }).filter(
      ([, value]) => value !== undefined,
    ),
  );
}
