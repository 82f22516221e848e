import { apiError } from '../errors.ts';
import type { DbAndClock } from '../platform/database/db.ts';
import { errorAnswers } from '../platform/http/api-schema.ts';
import { readCreated, readMoment } from '../platform/http/created-query.ts';
import type { Doors } from '../platform/http/door.ts';
import { parsePage } from '../platform/http/page.ts';
import { isId } from '../platform/ids.ts';
import { readDeliveries } from './delivery-list.ts';
import { type AttemptRow, type DeliveryRow, findDelivery, listAttempts } from './delivery-store.ts';
import type { Endpoints } from './endpoints.ts';
import type { EventType } from './event.ts';
import { countReplayable, replayDelivery, replayFailed, replayWaiting } from './replay.ts';
import {
  DELIVERIES_QUERY,
  DELIVERY_PARAMS,
  type Delivery,
  DeliveryDetail,
  DeliveryPage,
  REPLAY_QUERY,
  ReplayCount,
  ReplayRequest,
  ReplayResult,
  WEBHOOK_PARAMS,
} from './schemas.ts';
import { plainHeaders } from './sign.ts';

export interface DeliveryLogDeps extends DbAndClock {
  endpoints: Endpoints;
  wake(): void;
}
const writing = { scopes: ['messages:send'] as const };
const reading = { scopes: ['messages:send', 'evidence:read'] as const };

export function deliveryLogRoutes(doors: Doors, deps: DeliveryLogDeps): void {
  logRoutes(doors, deps);
  replayRoutes(doors, deps);
}

function logRoutes(doors: Doors, { db, endpoints }: DeliveryLogDeps): void {
  doors.get(
    '/webhooks/:id/deliveries',
    {
      config: reading,
      schema: {
        summary: 'List deliveries',
        description:
          'Newest first, for 30 days. A page with a filter reads up to 10,000 deliveries, so that it may be short or empty before the last page: continue while next_cursor is not null.',
        operationId: 'listWebhookDeliveries',
        params: WEBHOOK_PARAMS,
        querystring: DELIVERIES_QUERY,
        response: { 200: DeliveryPage, ...errorAnswers('not_found') },
      },
    },
    async (request) => {
      const { tenantId } = request.principal;
      const page = parsePage(request);
      const { webhook_id: id } = await endpoints.get(tenantId, request.params.id);
      const { status = null, type: types = null } = request.query;
      const filter = { status, types, ...readCreated(request.query) };
      return readDeliveries(db, { tenantId, webhookId: id }, filter, page, present);
    },
  );

  doors.get(
    '/webhooks/:id/deliveries/:did',
    {
      config: reading,
      schema: {
        summary: 'Read a delivery with its attempts',
        description:
          "The body that was sent and, for each attempt, the endpoint's answer or what went wrong.",
        operationId: 'getWebhookDelivery',
        params: DELIVERY_PARAMS,
        response: { 200: DeliveryDetail, ...errorAnswers('not_found') },
      },
    },
    async (request) => {
      const { tenantId } = request.principal;
      const { id, did } = request.params;
      await endpoints.get(tenantId, id);
      const [row, attempts] = await db.asTenant(tenantId, async (tx) =>
        isId(did)
          ? Promise.all([findDelivery(tx, tenantId, id, did), listAttempts(tx, tenantId, did)])
          : [null, []],
      );
      if (row === null) throw apiError('not_found');
      return {
        ...present(row),
        body: row.body.toString(),
        attempt_log: attempts.map((each) => presentAttempt(row, each)),
      };
    },
  );
}

function replayRoutes(doors: Doors, { db, clock, wake }: DeliveryLogDeps): void {
  doors.post(
    '/webhooks/:id/deliveries/:did/replay',
    {
      config: writing,
      schema: {
        summary: 'Deliver again',
        description:
          'Queues the delivery again, whatever its outcome, with the same body and all its retries.',
        operationId: 'replayWebhookDelivery',
        retry: 'once',
        params: DELIVERY_PARAMS,
        response: { 202: ReplayResult, ...errorAnswers('not_found', 'conflict') },
      },
    },
    async (request, reply) => {
      const { id, did } = request.params;
      await replayDelivery({ db, clock }, request.principal.tenantId, id, did);
      wake();
      return reply.code(202).send({ replayed: 1 });
    },
  );

  doors.get(
    '/webhooks/:id/replay',
    {
      config: reading,
      schema: {
        summary: 'Count what a replay would deliver again',
        description:
          'Failed deliveries made since the given time, and those that wait: what POST on this path would queue if no more fail meanwhile.',
        operationId: 'countWebhookReplay',
        params: WEBHOOK_PARAMS,
        querystring: REPLAY_QUERY,
        response: { 200: ReplayCount, ...errorAnswers('not_found') },
      },
    },
    async (request) => {
      const since = readMoment('since', request.query.since) ?? new Date(0);
      return countReplayable({ db, clock }, request.principal.tenantId, request.params.id, since);
    },
  );

  doors.post(
    '/webhooks/:id/replay',
    {
      config: writing,
      schema: {
        summary: 'Deliver all failed again',
        description:
          'Queues every failed delivery made since the given time again; with `waiting` also those that wait for their next attempt, as when the program is repaired.',
        operationId: 'replayWebhookDeliveries',
        retry: 'once',
        params: WEBHOOK_PARAMS,
        body: ReplayRequest,
        response: { 202: ReplayResult, ...errorAnswers('not_found', 'conflict') },
      },
    },
    async (request, reply) => {
      const since = new Date(request.body.since);
      if (Number.isNaN(since.getTime()))
        throw apiError('invalid_body', 'since must be an RFC 3339 time such as 2026-11-20T09:30:00.000Z.');
      const { tenantId } = request.principal;
      const { id } = request.params;
      let replayed = await replayFailed({ db, clock }, tenantId, id, since);
      if (request.body.waiting === true) replayed += await replayWaiting({ db, clock }, tenantId, id, since);
      wake();
      return reply.code(202).send({ replayed });
    },
  );
}

function present(row: DeliveryRow): Delivery {
  return {
    id: row.delivery_id,
    event_id: row.event_id,
    message_id: row.message_id,
    type: row.type as EventType,
    status: row.status,
    attempts: row.attempts,
    last_status_code: row.last_status_code,
    last_error: row.last_error,
    created_at: row.created_at.toISOString(),
    delivered_at: row.delivered_at?.toISOString() ?? null,
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
  };
}

function presentAttempt(delivery: DeliveryRow, row: AttemptRow) {
  const { webhook_id: webhookId, event_id: eventId, type } = delivery;
  return {
    attempt: row.attempt,
    started_at: row.started_at.toISOString(),
    duration_ms: row.duration_ms,
    status_code: row.status_code,
    error: row.error,
    request_headers: plainHeaders({ webhookId, eventId, type, at: row.started_at }),
    response_headers: row.response_headers,
    response_excerpt: row.response_excerpt,
  };
}
