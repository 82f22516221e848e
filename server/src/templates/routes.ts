import { type Static, Type } from 'typebox';
import type { App } from '../platform/http.ts';
import { PAGE_QUERY, pageSchema, parsePage, toPage } from '../platform/page.ts';
import type { TemplateRow } from './store.ts';
import type { Templates } from './templates.ts';

const TAGS = ['Templates'];
const READ = { scopes: ['messages:send', 'evidence:read'] as const };
const WRITE = { scopes: ['messages:send'] as const };
/** A template's three parts at their longest, in JSON. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024;

const IdParams = Type.Object({ id: Type.String({ description: 'Template id.' }) });
const part = (what: string) =>
  Type.Union([Type.String(), Type.Null()], { description: `${what}, with {{variables}} (Liquid).` });

const TemplateRecord = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    version: Type.Integer({
      description: 'Grows by one with each change of content; a message keeps the version it used.',
    }),
    subject: Type.String(),
    text: part('Plain body'),
    html: part('HTML body; values are escaped'),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
  },
  { additionalProperties: false, $id: 'Template' },
);

const name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[^\\u0000-\\u001f\\u007f]*$',
  description: 'Unique in the account.',
});
const CreateBody = Type.Object(
  {
    name,
    subject: Type.String({ description: 'With {{variables}}; line breaks in a value become spaces.' }),
    text: Type.Optional(part('Plain body')),
    html: Type.Optional(part('HTML body; values are escaped')),
  },
  { additionalProperties: false },
);
const PatchBody = Type.Partial(CreateBody);
const RenderBody = Type.Object(
  { variables: Type.Optional(Type.Record(Type.String(), Type.Unknown())) },
  { additionalProperties: false },
);
const RenderedRecord = Type.Object(
  {
    template_id: Type.String({ format: 'uuid' }),
    version: Type.Integer(),
    subject: Type.String(),
    text: Type.Union([Type.String(), Type.Null()]),
    html: Type.Union([Type.String(), Type.Null()]),
  },
  { additionalProperties: false },
);

export function templateRoutes(app: App, { templates }: { templates: Templates }): void {
  app.post(
    '/v1/templates',
    {
      config: WRITE,
      bodyLimit: BODY_LIMIT_BYTES,
      schema: {
        operationId: 'createTemplate',
        tags: TAGS,
        summary: 'Create a template',
        body: CreateBody,
        response: { 201: TemplateRecord },
      },
    },
    async (request, reply) => {
      const body = request.body as Static<typeof CreateBody>;
      const row = await templates.create(request.principal.tenantId, {
        ...body,
        text: body.text ?? null,
        html: body.html ?? null,
      });
      return reply.code(201).header('Location', `/v1/templates/${row.template_id}`).send(present(row));
    },
  );

  app.get(
    '/v1/templates',
    {
      config: READ,
      schema: {
        operationId: 'listTemplates',
        tags: TAGS,
        summary: 'List templates',
        description: 'Newest first.',
        querystring: Type.Object(PAGE_QUERY, { additionalProperties: false }),
        response: { 200: pageSchema(TemplateRecord) },
      },
    },
    async (request) => {
      const page = parsePage(request.query as { limit?: number; after?: string });
      const rows = await templates.list(request.principal.tenantId, page.afterId, page.fetch);
      return toPage(rows, page, (row) => row.template_id, present);
    },
  );

  app.get(
    '/v1/templates/:id',
    {
      config: READ,
      schema: {
        operationId: 'getTemplate',
        tags: TAGS,
        summary: 'Read a template',
        params: IdParams,
        response: { 200: TemplateRecord },
      },
    },
    async (request) =>
      present(
        await templates.get(request.principal.tenantId, (request.params as Static<typeof IdParams>).id),
      ),
  );

  app.patch(
    '/v1/templates/:id',
    {
      config: WRITE,
      bodyLimit: BODY_LIMIT_BYTES,
      schema: {
        operationId: 'updateTemplate',
        tags: TAGS,
        summary: 'Change a template',
        description:
          'A change of content makes a new version; messages sent before keep theirs. null takes text or html away.',
        params: IdParams,
        body: PatchBody,
        response: { 200: TemplateRecord },
      },
    },
    async (request) =>
      present(
        await templates.update(
          request.principal.tenantId,
          (request.params as Static<typeof IdParams>).id,
          request.body as Static<typeof PatchBody>,
        ),
      ),
  );

  app.delete(
    '/v1/templates/:id',
    {
      config: WRITE,
      schema: {
        operationId: 'deleteTemplate',
        tags: TAGS,
        summary: 'Delete a template',
        params: IdParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await templates.remove(request.principal.tenantId, (request.params as Static<typeof IdParams>).id);
      return reply.code(204).send(null as never);
    },
  );

  app.post(
    '/v1/templates/:id/render',
    {
      config: WRITE,
      bodyLimit: BODY_LIMIT_BYTES,
      schema: {
        operationId: 'renderTemplate',
        tags: TAGS,
        summary: 'Preview a template',
        description: 'Renders the current version with these variables; nothing is sent.',
        params: IdParams,
        body: RenderBody,
        response: { 200: RenderedRecord },
      },
    },
    async (request) => {
      const { variables } = request.body as Static<typeof RenderBody>;
      const { id } = request.params as Static<typeof IdParams>;
      const { templateId, version, subject, text, html } = await templates.preview(
        request.principal.tenantId,
        id,
        variables ?? {},
      );
      return { template_id: templateId, version, subject, text, html };
    },
  );
}

function present(row: TemplateRow): Static<typeof TemplateRecord> {
  return {
    id: row.template_id,
    name: row.name,
    version: row.version,
    subject: row.subject,
    text: row.text,
    html: row.html,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
