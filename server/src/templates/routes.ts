import { type Static, Type } from 'typebox';
import {
  BODY_ERRORS,
  errorAnswers,
  ID_PARAMS,
  Id,
  KEYED_ERRORS,
  LOCATION,
  line,
  mapOf,
  NoContent,
  nullable,
  Timestamp,
} from '../platform/http/api-schema.ts';
import { type Doors, locationOf } from '../platform/http/door.ts';
import {
  limitOf,
  listOf,
  PAGE_QUERY,
  pageSchema,
  parsePage,
  readNumberCursor,
  toPage,
  writeNumberCursor,
} from '../platform/http/page.ts';
import { LOCALE_PATTERN } from './locales.ts';
import { TEMPLATE_NAME_MAX_CHARS } from './render.ts';
import type { TemplateRow, VersionRow } from './store.ts';
import type { Templates } from './templates.ts';

const TAGS = ['Templates'];
const READ = { scopes: ['messages:send', 'evidence:read'] as const };
const WRITE = { scopes: ['messages:send'] as const };
/** A template's three parts at their longest, in JSON. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024;

const Subject = Type.String({
  description: 'With {{variables}} (Liquid); line breaks in a value become spaces.',
  examples: ['Invoice {{ number }}'],
});
const Text = nullable(
  Type.String({ examples: ['Hello {{ name }}, the total is {{ total }}.'] }),
  'Plain body, with {{variables}} (Liquid).',
);
const Html = nullable(
  Type.String({ examples: ['<p>Hello {{ name }}, the total is <b>{{ total }}</b>.</p>'] }),
  'HTML body, with {{variables}} (Liquid); values are escaped.',
);

const Variant = Type.Object(
  { subject: Subject, text: Type.Optional(Text), html: Type.Optional(Html) },
  { additionalProperties: false, $id: 'NewTemplateVariant' },
);
const VariantRecord = Type.Object(
  { subject: Subject, text: Text, html: Html },
  { additionalProperties: false, $id: 'TemplateVariant' },
);
const VARIANTS_NOTE =
  'By language tag: a send with locale es-MX takes es-MX, else es, else the content of the template itself.';
const VARIANTS_EXAMPLE = { es: { subject: 'Factura {{ number }}', text: 'Hola {{ name }}: {{ total }}.' } };
const Locale = Type.String({
  pattern: LOCALE_PATTERN,
  description: 'Language tag: chooses a variant of the template.',
  examples: ['es-MX'],
});

const TemplateRecord = Type.Object(
  {
    id: Id,
    name: Type.String({ examples: ['invoice'] }),
    version: Type.Integer({
      minimum: 1,
      description: 'Grows by one with each change of content; a message keeps the version it used.',
    }),
    subject: Subject,
    text: Text,
    html: Html,
    variants: mapOf(VariantRecord, { description: VARIANTS_NOTE }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { additionalProperties: false, $id: 'Template' },
);

const VersionRecord = Type.Object(
  {
    version: Type.Integer({ minimum: 1 }),
    subject: Subject,
    text: Text,
    html: Html,
    variants: mapOf(VariantRecord, { description: VARIANTS_NOTE }),
    created_at: Timestamp,
  },
  { additionalProperties: false, $id: 'TemplateVersion' },
);

const Name = line(TEMPLATE_NAME_MAX_CHARS, {
  description: 'Name of the template, unique in the account.',
  examples: ['invoice'],
});
const CreateBody = Type.Object(
  {
    name: Name,
    subject: Subject,
    text: Type.Optional(Text),
    html: Type.Optional(Html),
    variants: Type.Optional(mapOf(Variant, { description: VARIANTS_NOTE, examples: [VARIANTS_EXAMPLE] })),
  },
  {
    additionalProperties: false,
    $id: 'NewTemplate',
    documented: { not: { properties: { text: { maxLength: 0 }, html: { maxLength: 0 } } } },
    description: 'At least one of text and html is required.',
    examples: [
      {
        name: 'invoice',
        subject: 'Invoice {{ number }}',
        text: 'Hello {{ name }}, the total is {{ total }}.',
        html: '<p>Hello {{ name }}, the total is <b>{{ total }}</b>.</p>',
      },
    ],
  },
);
const PatchBody = Type.Object(
  {
    name: Type.Optional(Name),
    subject: Type.Optional(Subject),
    text: Type.Optional(Text),
    html: Type.Optional(Html),
    variants: Type.Optional(mapOf(nullable(Variant), { description: VARIANTS_NOTE })),
  },
  {
    additionalProperties: false,
    $id: 'TemplateChange',
    examples: [{ subject: 'Your invoice {{ number }}' }],
  },
);
const RenderBody = Type.Object(
  {
    variables: Type.Optional(
      mapOf(Type.Unknown(), {
        description: "The template's data.",
        examples: [{ name: 'Ana', number: '2026-0001', total: '120.00' }],
      }),
    ),
    locale: Type.Optional(Locale),
  },
  { additionalProperties: false, $id: 'RenderRequest' },
);
const RenderedRecord = Type.Object(
  {
    template_id: Id,
    version: Type.Integer({ minimum: 1 }),
    locale: nullable(
      Type.String({ examples: ['es'] }),
      "The variant that was rendered; null: the template's own content.",
    ),
    subject: Type.String({ examples: ['Invoice 2026-0001'] }),
    text: nullable(Type.String({ examples: ['Hello Ana, the total is 120.00.'] })),
    html: nullable(Type.String({ examples: ['<p>Hello Ana, the total is <b>120.00</b>.</p>'] })),
  },
  { additionalProperties: false, $id: 'RenderedTemplate' },
);

export function templateRoutes(doors: Doors, { templates }: { templates: Templates }): void {
  doors.post(
    '/templates',
    {
      config: { ...WRITE, costly: true },
      bodyLimit: BODY_LIMIT_BYTES,
      schema: {
        operationId: 'createTemplate',
        tags: TAGS,
        summary: 'Create a template',
        body: CreateBody,
        answers: { 201: { headers: LOCATION } },
        response: {
          201: TemplateRecord,
          ...errorAnswers(...KEYED_ERRORS, ...BODY_ERRORS, 'conflict'),
        },
      },
    },
    async (request, reply) => {
      const { body } = request;
      const row = await templates.create(request.principal.tenantId, {
        ...body,
        text: body.text ?? null,
        html: body.html ?? null,
      });
      return reply
        .code(201)
        .header('Location', locationOf(request, `/templates/${row.template_id}`))
        .send(present(row));
    },
  );

  doors.get(
    '/templates',
    {
      config: READ,
      schema: {
        operationId: 'listTemplates',
        tags: TAGS,
        summary: 'List templates',
        description: 'Newest first.',
        querystring: Type.Object(PAGE_QUERY, { additionalProperties: false }),
        response: {
          200: pageSchema(TemplateRecord),
          ...errorAnswers(...KEYED_ERRORS),
        },
      },
    },
    async (request) => {
      const page = parsePage(request);
      const rows = await templates.list(request.principal.tenantId, page.afterId, page.fetch);
      return toPage(rows, page, (row) => row.template_id, present);
    },
  );

  doors.get(
    '/templates/:id',
    {
      config: READ,
      schema: {
        operationId: 'getTemplate',
        tags: TAGS,
        summary: 'Read a template',
        params: ID_PARAMS,
        response: { 200: TemplateRecord, ...errorAnswers(...KEYED_ERRORS, 'not_found') },
      },
    },
    async (request) => present(await templates.get(request.principal.tenantId, request.params.id)),
  );

  doors.get(
    '/templates/:id/versions',
    {
      config: READ,
      schema: {
        operationId: 'listTemplateVersions',
        tags: TAGS,
        summary: "List a template's versions",
        description:
          'What the template said, newest first; the first is current. To go back to one, change the template to its content.',
        params: ID_PARAMS,
        querystring: Type.Object(PAGE_QUERY, { additionalProperties: false }),
        response: { 200: pageSchema(VersionRecord), ...errorAnswers(...KEYED_ERRORS, 'not_found') },
      },
    },
    async (request) => {
      const limit = limitOf(request.query);
      const list = listOf(request);
      const before = readNumberCursor(request.query.after, list);
      const { tenantId } = request.principal;
      const rows = await templates.versions(tenantId, request.params.id, before, limit + 1);
      const shown = rows.slice(0, limit);
      return {
        data: shown.map(presentVersion),
        next_cursor: rows.length > limit ? writeNumberCursor(shown.at(-1)!.version, list) : null,
      };
    },
  );

  doors.patch(
    '/templates/:id',
    {
      config: { ...WRITE, costly: true },
      bodyLimit: BODY_LIMIT_BYTES,
      schema: {
        operationId: 'updateTemplate',
        tags: TAGS,
        summary: 'Change a template',
        description:
          'A change of content makes a new version; messages sent before keep theirs. null removes text, html or a variant; variants that are not named stay.',
        params: ID_PARAMS,
        body: PatchBody,
        response: {
          200: TemplateRecord,
          ...errorAnswers(...KEYED_ERRORS, ...BODY_ERRORS, 'not_found', 'conflict'),
        },
      },
    },
    async (request) =>
      present(await templates.update(request.principal.tenantId, request.params.id, request.body)),
  );

  doors.delete(
    '/templates/:id',
    {
      config: WRITE,
      schema: {
        operationId: 'deleteTemplate',
        tags: TAGS,
        summary: 'Delete a template',
        params: ID_PARAMS,
        response: { 204: NoContent, ...errorAnswers(...KEYED_ERRORS, ...BODY_ERRORS, 'not_found') },
      },
    },
    async (request, reply) => {
      await templates.remove(request.principal.tenantId, request.params.id);
      return reply.code(204).send(null);
    },
  );

  doors.post(
    '/templates/:id/render',
    {
      config: { ...WRITE, costly: true },
      bodyLimit: BODY_LIMIT_BYTES,
      schema: {
        operationId: 'renderTemplate',
        tags: TAGS,
        summary: 'Preview a template',
        description: 'Renders the current version with these variables; nothing is sent.',
        params: ID_PARAMS,
        body: RenderBody,
        response: {
          200: RenderedRecord,
          ...errorAnswers(...KEYED_ERRORS, ...BODY_ERRORS, 'not_found', 'template_render_error'),
        },
      },
    },
    async (request) => {
      const { variables, locale = null } = request.body;
      const { id } = request.params;
      const { templateId, version, subject, text, html, ...used } = await templates.preview(
        request.principal.tenantId,
        { by: 'id', value: id, locale },
        variables ?? {},
      );
      return { template_id: templateId, version, locale: used.locale, subject, text, html };
    },
  );
}

function presentVersion({ created_at, ...row }: VersionRow): Static<typeof VersionRecord> {
  return { ...row, created_at: created_at.toISOString() };
}

function present(row: TemplateRow): Static<typeof TemplateRecord> {
  return {
    id: row.template_id,
    name: row.name,
    version: row.version,
    subject: row.subject,
    text: row.text,
    html: row.html,
    variants: row.variants,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
