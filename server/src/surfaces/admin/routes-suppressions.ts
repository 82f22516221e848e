import { Type } from 'typebox';
import { importGlobalSuppressions } from '../../accounts/suppressions/import.ts';
import { IMPORT_BODY_LIMIT_BYTES } from '../../accounts/suppressions/import-file.ts';
import {
  addGlobalSuppression,
  exportGlobalSuppressions,
  readGlobalSuppressions,
  removeGlobalSuppression,
} from '../../accounts/suppressions/operations.ts';
import { fileOf, IMPORT_EXAMPLE, ImportResult, presentImport } from '../../accounts/suppressions/routes.ts';
import type { GlobalSuppression } from '../../accounts/suppressions/store.ts';
import { apiError } from '../../errors.ts';
import {
  closed,
  errorAnswers,
  line,
  NoContent,
  named,
  otherContent,
  Timestamp,
} from '../../platform/http/api-schema.ts';
import { CREATED_QUERY } from '../../platform/http/created-query.ts';
import { CSV, type CsvColumns, sendCsv } from '../../platform/http/csv.ts';
import type { Doors } from '../../platform/http/door.ts';
import { limitOf, listOf, openCursor, PAGE_QUERY, pageSchema, sealCursor } from '../../platform/http/page.ts';
import { BY_ADMIN, BY_SUPPORT } from './access.ts';
import type { AdminDeps } from './deps.ts';
import { REASON_MAX_CHARS } from './tenant-schemas.ts';

const ADDRESS_MAX_CHARS = 2_048;

const NewEntry = named('NewGlobalSuppression', {
  address: Type.String({ maxLength: ADDRESS_MAX_CHARS, examples: ['abuse@example.net'] }),
  reason: Type.Optional(line(REASON_MAX_CHARS, { examples: ['asked by their lawyer'] })),
});

const Entry = named('GlobalSuppression', {
  address: Type.String({
    description: 'Normalized for comparison: lower case, domain in A-labels.',
    examples: ['abuse@example.net'],
  }),
  reason: Type.String({ examples: ['asked by their lawyer'] }),
  created_at: Timestamp,
});

const FILTERS = {
  q: Type.Optional(
    Type.String({
      maxLength: ADDRESS_MAX_CHARS,
      description: 'Part of the address.',
      examples: ['example.net'],
    }),
  ),
  ...CREATED_QUERY,
};

const CSV_COLUMNS: CsvColumns<GlobalSuppression> = {
  address: (entry) => entry.address,
  reason: (entry) => entry.reason,
  created_at: (entry) => entry.createdAt,
};

const Added = named('AddedGlobalSuppression', {
  address: Type.String({ examples: ['abuse@example.net'] }),
  created: Type.Boolean({ description: 'false: it was on the list already.' }),
});

/** The operator's list: `acuse suppressions … --global` over HTTP. */
export function suppressionRoutes(doors: Doors, deps: AdminDeps): void {
  fileRoutes(doors, deps);
  changeRoutes(doors, deps);
  doors.get(
    '/suppressions',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'listGlobalSuppressions',
        summary: "List the operator's suppressed addresses",
        description:
          'By address. They hold for every account: a send to one is refused with recipient_suppressed, which does not say why.',
        querystring: closed({ ...PAGE_QUERY, ...FILTERS }),
        response: { 200: pageSchema(Entry) },
      },
    },
    async (request) => {
      const limit = limitOf(request.query);
      const list = listOf(request);
      const { after } = request.query;
      const from = after === undefined ? '' : openCursor(after, list).toString('utf8');
      const rows = await readGlobalSuppressions(deps, request.query, from, limit + 1);
      const shown = rows.slice(0, limit);
      return {
        data: shown.map((row) => ({
          address: row.address,
          reason: row.reason,
          created_at: row.createdAt.toISOString(),
        })),
        next_cursor: rows.length > limit ? sealCursor(Buffer.from(shown.at(-1)!.address), list) : null,
      };
    },
  );
}

function changeRoutes(doors: Doors, deps: AdminDeps): void {
  doors.post(
    '/suppressions',
    {
      config: BY_ADMIN,
      schema: {
        operationId: 'createGlobalSuppression',
        summary: 'Suppress an address for every account',
        description: 'An address that is on the list already keeps its reason.',
        body: NewEntry,
        response: { 200: Added, 201: Added, ...errorAnswers('invalid_address') },
      },
    },
    async (request, reply) => {
      const { address, reason } = request.body;
      const what = { action: 'suppression.add', subject: address, reason: reason ?? null };
      const answer = await deps.audit.change(request, what, async () => {
        const input = { address, ...(reason !== undefined && { reason }) };
        return { answer: { address, created: await addGlobalSuppression(deps, input) } };
      });
      return reply.code(answer.created ? 201 : 200).send(answer);
    },
  );

  doors.delete(
    '/suppressions/:address',
    {
      config: BY_ADMIN,
      schema: {
        operationId: 'deleteGlobalSuppression',
        summary: 'Allow an address again',
        params: Type.Object({ address: Type.String({ description: 'In any spelling.' }) }),
        response: { 204: NoContent, ...errorAnswers('invalid_address', 'not_found') },
      },
    },
    async (request, reply) => {
      const { address } = request.params;
      await deps.audit.change(request, { action: 'suppression.remove', subject: address }, async () => {
        if (!(await removeGlobalSuppression(deps, address)))
          throw apiError('not_found', 'This address is not on the list.');
        return { answer: null };
      });
      return reply.code(204).send(null);
    },
  );
}

function fileRoutes(doors: Doors, deps: AdminDeps): void {
  doors.post(
    '/suppressions/import',
    {
      config: { ...BY_ADMIN, rawBody: true, mediaTypes: [CSV] },
      bodyLimit: IMPORT_BODY_LIMIT_BYTES,
      // A file, which is read line by line.
      validatorCompiler: () => () => true,
      schema: {
        operationId: 'importGlobalSuppressions',
        summary: 'Import addresses to suppress for every account',
        description:
          'Takes CSV as the import of an account does: a column address (or email), and reason if you like. Addresses that are on the list keep their reason.',
        body: {
          content: { [CSV]: { schema: Type.Unsafe<never>({ type: 'string', examples: [IMPORT_EXAMPLE] }) } },
        },
        response: { 200: ImportResult },
      },
    },
    (request) =>
      deps.audit.change(request, { action: 'suppression.import' }, async () => {
        const { operatorId } = request.operator;
        const answer = presentImport(await importGlobalSuppressions(deps, operatorId, fileOf(request)));
        const { created, known, failed } = answer;
        return { answer, after: { created, known, failed } };
      }),
  );

  doors.get(
    '/suppressions/export',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'exportGlobalSuppressions',
        summary: "Export the operator's suppressed addresses as CSV",
        description: 'By address, as UTF-8 with a line of names; the file can be imported again.',
        querystring: closed(FILTERS),
        response: {
          200: otherContent(CSV, 'The list.', `${Object.keys(CSV_COLUMNS).join(',')}\r\n`),
        },
      },
    },
    (request, reply) => {
      const entries = exportGlobalSuppressions(deps, request.query);
      return sendCsv(reply, 'suppressions.csv', CSV_COLUMNS, entries) as never;
    },
  );
}
