import type { Static } from 'typebox';
import { closed, errorAnswers, ID_PARAMS, LOCATION, NoContent } from '../../platform/http/api-schema.ts';
import { type Doors, locationOf } from '../../platform/http/door.ts';
import {
  limitOf,
  listOf,
  PAGE_QUERY,
  pageSchema,
  parsePage,
  readNumberCursor,
  toPage,
  writeNumberCursor,
} from '../../platform/http/page.ts';
import {
  CreateBody,
  DraftBody,
  PatchBody,
  RenderBody,
  RenderedDraft,
  RenderedRecord,
  TemplateRecord,
  VersionRecord,
} from './schemas.ts';
import type { TemplateRow, VersionRow } from './store.ts';
import type { Templates } from './templates.ts';

const READ = { scopes: ['messages:send', 'evidence:read'] as const };
const WRITE = { scopes: ['messages:send'] as const };
export const DRAFT_BODY_LIMIT_BYTES = 4 * 1024 * 1024;

export function templateRoutes(doors: Doors, { templates }: { templates: Templates }): void {
  doors.post(
    '/templates',
    {
      config: { ...WRITE, costly: true },
      bodyLimit: DRAFT_BODY_LIMIT_BYTES,
      schema: {
        operationId: 'createTemplate',
        retry: 'once',
        summary: 'Create a template',
        description:
          'Saves the first version. The parts are parsed: a syntax error or an unknown filter answers 400 and names the place.',
        body: CreateBody,
        answers: { 201: { headers: LOCATION } },
        response: { 201: TemplateRecord, ...errorAnswers('conflict') },
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
        summary: 'List templates',
        description: 'The templates of the account in their current version, newest first.',
        querystring: closed(PAGE_QUERY),
        response: { 200: pageSchema(TemplateRecord) },
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
        summary: 'Read a template',
        description: 'Its current version, with the variants for other languages.',
        params: ID_PARAMS,
        response: { 200: TemplateRecord, ...errorAnswers('not_found') },
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
        summary: "List a template's versions",
        description:
          'Versions of the template, newest first; the first is the current one. To restore one, change the template to its content.',
        params: ID_PARAMS,
        querystring: closed(PAGE_QUERY),
        response: { 200: pageSchema(VersionRecord), ...errorAnswers('not_found') },
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
      bodyLimit: DRAFT_BODY_LIMIT_BYTES,
      schema: {
        operationId: 'updateTemplate',
        summary: 'Change a template',
        description:
          'A change of content makes a new version; messages sent before keep theirs. null removes text, html or a variant; variants that are not named stay.',
        params: ID_PARAMS,
        body: PatchBody,
        response: { 200: TemplateRecord, ...errorAnswers('not_found', 'conflict') },
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
        summary: 'Delete a template',
        description: 'Messages that were sent with it keep their content. Its name can be used again.',
        params: ID_PARAMS,
        response: { 204: NoContent, ...errorAnswers('not_found') },
      },
    },
    async (request, reply) => {
      await templates.remove(request.principal.tenantId, request.params.id);
      return reply.code(204).send(null);
    },
  );

  doors.post(
    '/templates/render',
    {
      config: { ...WRITE, costly: true },
      bodyLimit: DRAFT_BODY_LIMIT_BYTES,
      schema: {
        operationId: 'renderTemplateDraft',
        retry: 'repeatable',
        summary: 'Preview a template before it is saved',
        description: 'Renders the given content with these variables; nothing is saved or sent.',
        body: DraftBody,
        response: { 200: RenderedDraft, ...errorAnswers('template_render_error') },
      },
    },
    async (request) => {
      const { subject, text = null, html = null, variables = {} } = request.body;
      const { tenantId } = request.principal;
      const rendered = await templates.renderDraft(tenantId, { subject, text, html }, variables);
      return { subject: rendered.subject, text: rendered.text, html: rendered.html };
    },
  );

  doors.post(
    '/templates/:id/render',
    {
      config: { ...WRITE, costly: true },
      bodyLimit: DRAFT_BODY_LIMIT_BYTES,
      schema: {
        operationId: 'renderTemplate',
        retry: 'repeatable',
        summary: 'Preview a template',
        description: 'Renders the current version with these variables; nothing is sent.',
        params: ID_PARAMS,
        body: RenderBody,
        response: { 200: RenderedRecord, ...errorAnswers('not_found', 'template_render_error') },
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
