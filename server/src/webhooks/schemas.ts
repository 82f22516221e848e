import { Type } from 'typebox';
import { PAGE_QUERY } from '../platform/page.ts';

/** The shapes of the webhook routes; interface.md "Webhook endpoint" and contract.md "Webhooks". */

const Time = Type.String({ format: 'date-time' });
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);

export const IdParams = Type.Object({ id: Type.String({ description: 'Webhook endpoint id.' }) });
export const DeliveryParams = Type.Object({
  id: Type.String({ description: 'Webhook endpoint id.' }),
  did: Type.String({ description: 'Delivery id.' }),
});

const EventName = Type.Union(
  [
    Type.Literal('*'),
    Type.Literal('email.queued'),
    Type.Literal('email.sent'),
    Type.Literal('email.deferred'),
    Type.Literal('email.bounced'),
    Type.Literal('email.complained'),
    Type.Literal('email.sealed'),
  ],
  { description: 'An event type, or * for all.' },
);

const url = Type.String({
  description: 'https, resolving to public addresses only; no credentials, no fragment.',
  examples: ['https://example.com/hooks/acuse'],
});
const events = Type.Array(EventName, { minItems: 1, maxItems: 7 });

export const CreateBody = Type.Object(
  { url, events, description: Type.Optional(Type.String({ maxLength: 500, pattern: '^[^\\u0000]*$' })) },
  { additionalProperties: false },
);
export const PatchBody = Type.Object(
  {
    url: Type.Optional(url),
    events: Type.Optional(events),
    description: Type.Optional(
      Type.Union([Type.String({ maxLength: 500, pattern: '^[^\\u0000]*$' }), Type.Null()]),
    ),
    enabled: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);

const webhookFields = {
  id: Type.String({ format: 'uuid' }),
  url: Type.String(),
  events: Type.Array(EventName),
  description: nullable(Type.String()),
  enabled: Type.Boolean(),
  disabled_reason: nullable(
    Type.Union([Type.Literal('gone'), Type.Literal('failing'), Type.Literal('manual')], {
      description:
        'gone: it answered 410; failing: nothing but failures for five days; manual: switched off.',
    }),
  ),
  failing_since: nullable(Time),
  created_at: Time,
  updated_at: Time,
};
export const WebhookRecord = Type.Object(webhookFields, { additionalProperties: false, $id: 'Webhook' });
export const WebhookWithSecret = Type.Object(
  { ...webhookFields, secret: Type.String({ description: 'whsec_…; shown this once.' }) },
  { additionalProperties: false, $id: 'WebhookWithSecret' },
);

export const PingRecord = Type.Object(
  {
    delivered: Type.Boolean({ description: 'True: the endpoint answered 2xx.' }),
    status_code: nullable(Type.Integer()),
    duration_ms: Type.Integer(),
    error: nullable(Type.String()),
    request: Type.Object({ headers: Type.Record(Type.String(), Type.String()), body: Type.String() }),
  },
  { additionalProperties: false },
);

const DeliveryStatus = Type.Union([
  Type.Literal('pending'),
  Type.Literal('delivered'),
  Type.Literal('failed'),
]);

export const DeliveriesQuery = Type.Object(
  { ...PAGE_QUERY, status: Type.Optional(DeliveryStatus) },
  { additionalProperties: false },
);

const deliveryFields = {
  id: Type.String({ format: 'uuid' }),
  event_id: Type.String({ format: 'uuid' }),
  message_id: Type.String({ format: 'uuid' }),
  type: Type.String(),
  status: DeliveryStatus,
  attempts: Type.Integer(),
  last_status_code: nullable(Type.Integer()),
  last_error: nullable(Type.String()),
  created_at: Time,
  delivered_at: nullable(Time),
  next_attempt_at: nullable(Time),
};
export const DeliveryRecord = Type.Object(deliveryFields, {
  additionalProperties: false,
  $id: 'WebhookDelivery',
});
export const DeliveryDetail = Type.Object(
  {
    ...deliveryFields,
    body: Type.String({ description: 'The exact body, the same in every attempt.' }),
    attempt_log: Type.Array(
      Type.Object({
        attempt: Type.Integer(),
        started_at: Time,
        duration_ms: Type.Integer(),
        status_code: nullable(Type.Integer()),
        error: nullable(Type.String()),
      }),
    ),
  },
  { additionalProperties: false },
);

export const ReplayBody = Type.Object(
  { since: Type.String({ format: 'date-time', description: 'RFC 3339.' }) },
  { additionalProperties: false },
);
export const ReplayRecord = Type.Object(
  { replayed: Type.Integer({ description: 'Deliveries put in line again.' }) },
  { additionalProperties: false },
);
