import { closed, errorAnswers, LOCATION, NoContent } from '../platform/http/api-schema.ts';
import { type Doors, locationOf } from '../platform/http/door.ts';
import { PAGE_QUERY, pageSchema, parsePage, toPage } from '../platform/http/page.ts';
import type { EndpointRow } from './endpoint-store.ts';
import type { Endpoints } from './endpoints.ts';
import type { EventType } from './event.ts';
import { FAILING_MAX_MS } from './outcome.ts';
import {
  NewWebhook,
  PingResult,
  WEBHOOK_PARAMS,
  type Webhook,
  WebhookPatch,
  WebhookSchema,
  WebhookWithSecret,
} from './schemas.ts';

const writing = { scopes: ['messages:send'] as const };
const reading = { scopes: ['messages:send', 'evidence:read'] as const };

export function endpointRoutes(doors: Doors, deps: { endpoints: Endpoints }): void {
  collectionRoutes(doors, deps);
  itemRoutes(doors, deps);
  actionRoutes(doors, deps);
}

function collectionRoutes(doors: Doors, { endpoints }: { endpoints: Endpoints }): void {
  doors.post(
    '/webhooks',
    {
      config: writing,
      schema: {
        summary: 'Create a webhook endpoint',
        description:
          'The secret is shown only in this answer: keep it to verify Service-Signature. Limit: 20 endpoints per account.',
        operationId: 'createWebhook',
        retry: 'once',
        body: NewWebhook,
        answers: { 201: { headers: LOCATION } },
        response: { 201: WebhookWithSecret, ...errorAnswers('conflict') },
      },
    },
    async (request, reply) => {
      const { row, secret } = await endpoints.create(request.principal.tenantId, request.body);
      return reply
        .code(201)
        .header('Location', locationOf(request, `/webhooks/${row.webhook_id}`))
        .send({ ...present(row), secret });
    },
  );

  doors.get(
    '/webhooks',
    {
      config: reading,
      schema: {
        summary: 'List webhook endpoints',
        description: 'The endpoints of the account with their state, newest first.',
        operationId: 'listWebhooks',
        querystring: closed(PAGE_QUERY),
        response: { 200: pageSchema(WebhookSchema) },
      },
    },
    async (request) => {
      const page = parsePage(request);
      const rows = await endpoints.list(request.principal.tenantId, page.afterId, page.fetch);
      return toPage(rows, page, (row) => row.webhook_id, present);
    },
  );
}

function itemRoutes(doors: Doors, { endpoints }: { endpoints: Endpoints }): void {
  doors.get(
    '/webhooks/:id',
    {
      config: reading,
      schema: {
        summary: 'Read a webhook endpoint',
        description: 'Its URL, events and state; the secret is shown only when it is made or rotated.',
        operationId: 'getWebhook',
        params: WEBHOOK_PARAMS,
        response: { 200: WebhookSchema, ...errorAnswers('not_found') },
      },
    },
    async (request) => present(await endpoints.get(request.principal.tenantId, request.params.id)),
  );

  doors.patch(
    '/webhooks/:id',
    {
      config: writing,
      schema: {
        summary: 'Change a webhook endpoint',
        description: 'Events waiting for the endpoint go to its new url. Omitted fields stay unchanged.',
        operationId: 'updateWebhook',
        params: WEBHOOK_PARAMS,
        body: WebhookPatch,
        response: { 200: WebhookSchema, ...errorAnswers('not_found') },
      },
    },
    async (request) =>
      present(await endpoints.update(request.principal.tenantId, request.params.id, request.body)),
  );

  doors.delete(
    '/webhooks/:id',
    {
      config: writing,
      schema: {
        summary: 'Delete a webhook endpoint',
        description: 'Deletes the endpoint; events waiting for it are no longer delivered.',
        operationId: 'deleteWebhook',
        params: WEBHOOK_PARAMS,
        response: { 204: NoContent, ...errorAnswers('not_found') },
      },
    },
    async (request, reply) => {
      await endpoints.remove(request.principal.tenantId, request.params.id);
      return reply.code(204).send(null);
    },
  );
}

function actionRoutes(doors: Doors, { endpoints }: { endpoints: Endpoints }): void {
  doors.post(
    '/webhooks/:id/rotate-secret',
    {
      config: writing,
      schema: {
        summary: 'Rotate the secret',
        description:
          'Service-Signature is keyed with the new secret at once; for 24 hours Service-Signature-Previous and a second webhook-signature carry the old one.',
        operationId: 'rotateWebhookSecret',
        retry: 'once',
        params: WEBHOOK_PARAMS,
        response: { 200: WebhookWithSecret, ...errorAnswers('not_found') },
      },
    },
    async (request) => {
      const { row, secret } = await endpoints.rotate(request.principal.tenantId, request.params.id);
      return { ...present(row), secret };
    },
  );

  doors.post(
    '/webhooks/:id/ping',
    {
      config: writing,
      schema: {
        summary: 'Ping a webhook endpoint',
        description:
          "Delivers one synthetic event at once (the endpoint's first type, email.queued for *; data.synthetic is true) and reports the result. A failure of the endpoint is a result, not an error.",
        operationId: 'pingWebhook',
        retry: 'once',
        params: WEBHOOK_PARAMS,
        response: { 200: PingResult, ...errorAnswers('not_found') },
      },
    },
    async (request) => {
      const { result, headers, body } = await endpoints.ping(request.principal.tenantId, request.params.id);
      return {
        delivered: result.ok,
        status_code: result.statusCode,
        duration_ms: result.durationMs,
        error: result.ok ? null : result.error,
        response_headers: result.answer && { ...result.answer.headers },
        response_excerpt: result.answer?.excerpt ?? null,
        request: { headers, body },
      };
    },
  );
}

export function disablesAt({ enabled, failing_since: since }: EndpointRow): Date | null {
  return enabled && since !== null ? new Date(since.getTime() + FAILING_MAX_MS) : null;
}

function present(row: EndpointRow): Webhook {
  return {
    id: row.webhook_id,
    url: row.url,
    events: row.events as (EventType | '*')[],
    description: row.description,
    enabled: row.enabled,
    disabled_reason: row.disabled_reason,
    failing_since: row.failing_since?.toISOString() ?? null,
    disables_at: disablesAt(row)?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
