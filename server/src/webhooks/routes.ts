import { type Static, Type } from 'typebox';
import { apiError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { Db } from '../platform/db.ts';
import type { App } from '../platform/http.ts';
import { isId } from '../platform/ids.ts';
import { PAGE_QUERY, pageSchema, parsePage, toPage } from '../platform/page.ts';
import {
  type DeliveryRow,
  findDelivery,
  listAttempts,
  listDeliveries,
  requeueFailed,
  requeueOne,
} from './delivery-store.ts';
import type { EndpointRow } from './endpoint-store.ts';
import type { Endpoints } from './endpoints.ts';
import {
  CreateBody,
  DeliveriesQuery,
  DeliveryDetail,
  DeliveryParams,
  DeliveryRecord,
  IdParams,
  PatchBody,
  PingRecord,
  ReplayBody,
  ReplayRecord,
  WebhookRecord,
  WebhookWithSecret,
} from './schemas.ts';

export interface WebhookRoutesDeps {
  db: Db;
  clock: Clock;
  endpoints: Endpoints;
  /** Told when deliveries came due. */
  wake(): void;
}

const TAGS = ['Webhooks'];
const WRITE = { scopes: ['messages:send'] as const };
const READ = { scopes: ['messages:send', 'evidence:read'] as const };

export function webhookRoutes(app: App, deps: WebhookRoutesDeps): void {
  endpointRoutes(app, deps);
  secretAndPingRoutes(app, deps);
  deliveryRoutes(app, deps);
}

function endpointRoutes(app: App, { endpoints }: WebhookRoutesDeps): void {
  app.post(
    '/v1/webhooks',
    {
      config: WRITE,
      schema: {
        operationId: 'createWebhook',
        tags: TAGS,
        summary: 'Create a webhook endpoint',
        description:
          'The secret is in this answer and in no later one: keep it to check Service-Signature with.',
        body: CreateBody,
        response: { 201: WebhookWithSecret },
      },
    },
    async (request, reply) => {
      const body = request.body as Static<typeof CreateBody>;
      const { row, secret } = await endpoints.create(request.principal.tenantId, body);
      return reply
        .code(201)
        .header('Location', `/v1/webhooks/${row.webhook_id}`)
        .send({ ...present(row), secret });
    },
  );

  app.get(
    '/v1/webhooks',
    {
      config: READ,
      schema: {
        operationId: 'listWebhooks',
        tags: TAGS,
        summary: 'List webhook endpoints',
        querystring: Type.Object(PAGE_QUERY, { additionalProperties: false }),
        response: { 200: pageSchema(WebhookRecord) },
      },
    },
    async (request) => {
      const page = parsePage(request.query as { limit?: number; after?: string });
      const rows = await endpoints.list(request.principal.tenantId, page.afterId, page.fetch);
      return toPage(rows, page, (row) => row.webhook_id, present);
    },
  );

  app.get(
    '/v1/webhooks/:id',
    {
      config: READ,
      schema: {
        operationId: 'getWebhook',
        tags: TAGS,
        summary: 'Read a webhook endpoint',
        params: IdParams,
        response: { 200: WebhookRecord },
      },
    },
    async (request) => present(await endpoints.get(request.principal.tenantId, idOf(request.params))),
  );

  app.patch(
    '/v1/webhooks/:id',
    {
      config: WRITE,
      schema: {
        operationId: 'updateWebhook',
        tags: TAGS,
        summary: 'Change a webhook endpoint',
        description: 'enabled: true switches an endpoint on again that was disabled.',
        params: IdParams,
        body: PatchBody,
        response: { 200: WebhookRecord },
      },
    },
    async (request) =>
      present(
        await endpoints.update(
          request.principal.tenantId,
          idOf(request.params),
          request.body as Static<typeof PatchBody>,
        ),
      ),
  );

  app.delete(
    '/v1/webhooks/:id',
    {
      config: WRITE,
      schema: {
        operationId: 'deleteWebhook',
        tags: TAGS,
        summary: 'Delete a webhook endpoint',
        params: IdParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await endpoints.remove(request.principal.tenantId, idOf(request.params));
      return reply.code(204).send(null as never);
    },
  );
}

function secretAndPingRoutes(app: App, { endpoints }: WebhookRoutesDeps): void {
  app.post(
    '/v1/webhooks/:id/rotate-secret',
    {
      config: WRITE,
      schema: {
        operationId: 'rotateWebhookSecret',
        tags: TAGS,
        summary: 'Rotate the secret',
        description:
          'Service-Signature is keyed with the new secret at once; for 24 hours Service-Signature-Previous and a second webhook-signature carry the old one.',
        params: IdParams,
        response: { 200: WebhookWithSecret },
      },
    },
    async (request) => {
      const { row, secret } = await endpoints.rotate(request.principal.tenantId, idOf(request.params));
      return { ...present(row), secret };
    },
  );

  app.post(
    '/v1/webhooks/:id/ping',
    {
      config: WRITE,
      schema: {
        operationId: 'pingWebhook',
        tags: TAGS,
        summary: 'Send a synthetic event',
        description:
          'Delivers at once and answers what came of it, with the headers and body that were sent.',
        params: IdParams,
        response: { 200: PingRecord },
      },
    },
    async (request) => {
      const { result, headers, body } = await endpoints.ping(
        request.principal.tenantId,
        idOf(request.params),
      );
      return {
        delivered: result.ok,
        status_code: result.statusCode,
        duration_ms: result.durationMs,
        error: result.ok ? null : result.error,
        request: { headers, body },
      };
    },
  );
}

function deliveryRoutes(app: App, { db, clock, endpoints, wake }: WebhookRoutesDeps): void {
  app.get(
    '/v1/webhooks/:id/deliveries',
    {
      config: READ,
      schema: {
        operationId: 'listWebhookDeliveries',
        tags: TAGS,
        summary: 'List deliveries',
        description: 'Newest first, for 30 days.',
        params: IdParams,
        querystring: DeliveriesQuery,
        response: { 200: pageSchema(DeliveryRecord) },
      },
    },
    async (request) => {
      const { tenantId } = request.principal;
      const query = request.query as Static<typeof DeliveriesQuery>;
      const page = parsePage(query);
      const { webhook_id: id } = await endpoints.get(tenantId, idOf(request.params));
      const rows = await db.asTenant(tenantId, (tx) =>
        listDeliveries(tx, tenantId, id, query.status ?? null, page.afterId, page.fetch),
      );
      return toPage(rows, page, (row) => row.delivery_id, presentDelivery);
    },
  );

  app.get(
    '/v1/webhooks/:id/deliveries/:did',
    {
      config: READ,
      schema: {
        operationId: 'getWebhookDelivery',
        tags: TAGS,
        summary: 'Read a delivery with its attempts',
        params: DeliveryParams,
        response: { 200: DeliveryDetail },
      },
    },
    async (request) => {
      const { tenantId } = request.principal;
      const { id, did } = request.params as Static<typeof DeliveryParams>;
      if (!isId(id) || !isId(did)) throw apiError('not_found');
      return db.asTenant(tenantId, async (tx) => {
        const row = await findDelivery(tx, tenantId, id, did);
        if (row === null) throw apiError('not_found');
        const attempts = await listAttempts(tx, tenantId, did);
        return {
          ...presentDelivery(row),
          body: row.body.toString(),
          attempt_log: attempts.map((it) => ({
            attempt: it.attempt,
            started_at: it.started_at.toISOString(),
            duration_ms: it.duration_ms,
            status_code: it.status_code,
            error: it.error,
          })),
        };
      });
    },
  );

  app.post(
    '/v1/webhooks/:id/deliveries/:did/replay',
    {
      config: WRITE,
      schema: {
        operationId: 'replayWebhookDelivery',
        tags: TAGS,
        summary: 'Deliver again',
        description: 'Puts the delivery in line again with the same body; its retries start anew.',
        params: DeliveryParams,
        response: { 202: ReplayRecord },
      },
    },
    async (request, reply) => {
      const { tenantId } = request.principal;
      const { id, did } = request.params as Static<typeof DeliveryParams>;
      if (!isId(id) || !isId(did)) throw apiError('not_found');
      await requireEnabled(endpoints, tenantId, id);
      const replayed = await db.asTenant(tenantId, (tx) => requeueOne(tx, tenantId, id, did, clock.now()));
      if (replayed === 0) throw apiError('not_found');
      wake();
      return reply.code(202).send({ replayed });
    },
  );

  app.post(
    '/v1/webhooks/:id/replay',
    {
      config: WRITE,
      schema: {
        operationId: 'replayWebhookDeliveries',
        tags: TAGS,
        summary: 'Deliver all failed again',
        description: 'Puts every failed delivery made since the given time in line again.',
        params: IdParams,
        body: ReplayBody,
        response: { 202: ReplayRecord },
      },
    },
    async (request, reply) => {
      const { tenantId } = request.principal;
      const id = idOf(request.params);
      const since = new Date((request.body as Static<typeof ReplayBody>).since);
      if (Number.isNaN(since.getTime()))
        throw apiError('invalid_body', 'since must be an RFC 3339 time such as 2026-01-31T00:00:00Z.');
      await requireEnabled(endpoints, tenantId, id);
      const replayed = await db.asTenant(tenantId, (tx) =>
        requeueFailed(tx, tenantId, id, since, clock.now()),
      );
      wake();
      return reply.code(202).send({ replayed });
    },
  );
}

async function requireEnabled(endpoints: Endpoints, tenantId: string, webhookId: string): Promise<void> {
  const row = await endpoints.get(tenantId, webhookId);
  if (!row.enabled)
    throw apiError('conflict', 'The endpoint is disabled: switch it on with PATCH {"enabled": true} first.');
}

function idOf(params: unknown): string {
  return (params as Static<typeof IdParams>).id;
}

function present(row: EndpointRow): Static<typeof WebhookRecord> {
  return {
    id: row.webhook_id,
    url: row.url,
    events: row.events as Static<typeof WebhookRecord>['events'],
    description: row.description,
    enabled: row.enabled,
    disabled_reason: row.disabled_reason,
    failing_since: row.failing_since?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

function presentDelivery(row: DeliveryRow): Static<typeof DeliveryRecord> {
  return {
    id: row.delivery_id,
    event_id: row.event_id,
    message_id: row.message_id,
    type: row.type,
    status: row.status,
    attempts: row.attempts,
    last_status_code: row.last_status_code,
    last_error: row.last_error,
    created_at: row.created_at.toISOString(),
    delivered_at: row.delivered_at?.toISOString() ?? null,
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
  };
}
