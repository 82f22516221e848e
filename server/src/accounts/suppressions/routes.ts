import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { apiError } from '../../errors.ts';
import {
  closed,
  ErrorDetail,
  errorAnswers,
  ID_PARAMS,
  Id,
  line,
  NoContent,
  named,
  nullable,
  otherContent,
  Timestamp,
} from '../../platform/http/api-schema.ts';
import { CREATED_QUERY } from '../../platform/http/created-query.ts';
import { CSV, type CsvColumns, sendCsv } from '../../platform/http/csv.ts';
import type { Doors } from '../../platform/http/door.ts';
import { PAGE_QUERY, pageSchema, parsePage } from '../../platform/http/page.ts';
import { type ImportDeps, type Imported, importSuppressions } from './import.ts';
import { IMPORT_BODY_LIMIT_BYTES } from './import-file.ts';
import { addSuppression, exportSuppressions, readSuppressions, removeSuppression } from './operations.ts';
import type { Suppression } from './store.ts';

const ADDRESS_MAX_CHARS = 2_048;
const REASON_MAX_CHARS = 500;

const NewSuppression = named('NewSuppression', {
  address: Type.String({ maxLength: ADDRESS_MAX_CHARS, examples: ['someone@example.com'] }),
  reason: Type.Optional(line(REASON_MAX_CHARS, { examples: ['asked by telephone'] })),
});

const SuppressionSource = Type.Enum(['manual', 'bounce', 'complaint']);

const SuppressionSchema = named('Suppression', {
  id: Id,
  address: Type.String({
    description: 'Normalized for comparison: lower case, domain in A-labels.',
    examples: ['someone@example.com'],
  }),
  reason: Type.String({ examples: ['asked by telephone'] }),
  source: SuppressionSource,
  message_id: { ...nullable(Id), description: 'The message whose bounce or complaint put it here.' },
  created_at: Timestamp,
});

const FILTERS = {
  address: Type.Optional(
    Type.String({
      maxLength: ADDRESS_MAX_CHARS,
      description: 'Filter by this address, in any spelling.',
    }),
  ),
  source: Type.Optional(SuppressionSource),
  ...CREATED_QUERY,
};

const FailedLine = named('SuppressionImportFailure', {
  line: Type.Integer({ minimum: 1, description: 'Line of the file, from 1.' }),
  error: ErrorDetail,
});
export const ImportResult = named(
  'SuppressionImport',
  {
    created: Type.Integer({ minimum: 0, description: 'Addresses that were added.' }),
    known: Type.Integer({
      minimum: 0,
      description: 'Lines whose address was on the list, or stands further up in the file.',
    }),
    failed: Type.Integer({ minimum: 0, description: 'Lines that were refused.' }),
    failures: Type.Array(FailedLine, { description: 'Each refused line with its reason.' }),
  },
  {
    examples: [
      {
        created: 2,
        known: 1,
        failed: 1,
        failures: [
          { line: 4, error: { code: 'invalid_address', message: 'address has no "@": write local@domain' } },
        ],
      },
    ],
  },
);
export const IMPORT_EXAMPLE = 'address,reason\nana@example.com,asked by telephone\nluis@example.net,\n';

const CSV_COLUMNS: CsvColumns<Suppression> = {
  address: (entry) => entry.address,
  reason: (entry) => entry.reason,
  source: (entry) => entry.source,
  message_id: (entry) => entry.messageId,
  created_at: (entry) => entry.createdAt,
  id: (entry) => entry.suppressionId,
};

export function suppressionRoutes(doors: Doors, deps: ImportDeps): void {
  fileRoutes(doors, deps);
  doors.post(
    '/suppressions',
    {
      config: { scopes: ['suppressions:write'] },
      schema: {
        summary: 'Suppress an address',
        description:
          'Sends to it are refused from now on with recipient_suppressed. An address that is already on the list answers 200 with its existing entry.',
        operationId: 'createSuppression',
        retry: 'repeatable',
        body: NewSuppression,
        response: {
          200: SuppressionSchema,
          201: SuppressionSchema,
          ...errorAnswers('invalid_address', 'conflict'),
        },
      },
    },
    async (request, reply) => {
      const { created, entry } = await addSuppression(deps, request.principal.tenantId, request.body);
      return reply.code(created ? 201 : 200).send(presentSuppression(entry));
    },
  );

  doors.get(
    '/suppressions',
    {
      config: { scopes: ['evidence:read'] },
      schema: {
        summary: 'List suppressed addresses',
        description: "The account's own list, newest first. The operator's global list is not shown.",
        operationId: 'listSuppressions',
        querystring: closed({
          ...PAGE_QUERY,
          ...FILTERS,
        }),
        response: { 200: pageSchema(SuppressionSchema) },
      },
    },
    (request) =>
      readSuppressions(
        deps,
        request.principal.tenantId,
        request.query,
        parsePage(request),
        presentSuppression,
      ),
  );

  doors.delete(
    '/suppressions/:id',
    {
      config: { scopes: ['suppressions:write'] },
      schema: {
        summary: 'Allow an address again',
        description: 'Removes the entry from the list; the next send to the address is accepted.',
        operationId: 'deleteSuppression',
        params: ID_PARAMS,
        response: { 204: NoContent, ...errorAnswers('not_found') },
      },
    },
    async (request, reply) => {
      await removeSuppression(deps, request.principal.tenantId, request.params.id);
      return reply.code(204).send(null);
    },
  );
}

function fileRoutes(doors: Doors, deps: ImportDeps): void {
  doors.post(
    '/suppressions/import',
    {
      config: { scopes: ['suppressions:write'], costly: true, rawBody: true, mediaTypes: [CSV] },
      bodyLimit: IMPORT_BODY_LIMIT_BYTES,
      validatorCompiler: () => () => true,
      schema: {
        summary: 'Import addresses to suppress',
        description:
          'Takes CSV with a header line: address (or email), and reason if you like; other columns are ignored. A file without names has an address per line. Up to 10,000 addresses; each line is added by itself, so that the same file can be sent again.',
        operationId: 'importSuppressions',
        retry: 'repeatable',
        body: {
          content: { [CSV]: { schema: Type.Unsafe<never>({ type: 'string', examples: [IMPORT_EXAMPLE] }) } },
        },
        response: { 200: ImportResult },
      },
    },
    async (request) => {
      return presentImport(await importSuppressions(deps, request.principal.tenantId, fileOf(request)));
    },
  );

  doors.get(
    '/suppressions/export',
    {
      config: { scopes: ['evidence:read'], costly: true },
      schema: {
        summary: 'Export suppressed addresses as CSV',
        description:
          'Every entry that matches the filters of the list, newest first, as UTF-8 with a header line; the file can be imported again. A cell that a spreadsheet would take for a formula starts with an apostrophe.',
        operationId: 'exportSuppressions',
        querystring: closed(FILTERS),
        response: {
          200: otherContent(CSV, 'The list.', `${Object.keys(CSV_COLUMNS).join(',')}\r\n`),
        },
      },
    },
    (request, reply) => {
      const entries = exportSuppressions(deps, request.principal.tenantId, request.query);
      return sendCsv(reply, 'suppressions.csv', CSV_COLUMNS, entries) as never;
    },
  );
}

export function fileOf({ headers, body }: Pick<FastifyRequest, 'headers' | 'body'>): Uint8Array {
  if (!/^text\/csv(?:\s*;|\s*$)/i.test(headers['content-type'] ?? ''))
    throw apiError('unsupported_media_type', 'Send the file with Content-Type text/csv.');
  return (body as Buffer | undefined) ?? Buffer.alloc(0);
}

export function presentImport({ created, known, refused }: Imported) {
  const failures = refused.map(({ line: at, code, message }) => ({ line: at, error: { code, message } }));
  return { created, known, failed: failures.length, failures };
}

export function presentSuppression(entry: Suppression) {
  return {
    id: entry.suppressionId,
    address: entry.address,
    reason: entry.reason,
    source: entry.source,
    message_id: entry.messageId,
    created_at: entry.createdAt.toISOString(),
  };
}
