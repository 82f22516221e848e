import { type Static, Type } from 'typebox';
import { closed, ID_EXAMPLE, Id, mapOf, named, nullable, Timestamp } from '../platform/http/api-schema.ts';
import { CREATED_QUERY } from '../platform/http/created-query.ts';
import { PAGE_QUERY, pageSchema } from '../platform/http/page.ts';
import { EVENT_TYPES } from './event.ts';
import { EventName } from './event-schemas.ts';
import { REPLAYABLE_COUNTED_MAX } from './queue-store.ts';

const URL_MAX_CHARS = 2_048;
const DESCRIPTION_MAX_CHARS = 500;
const EXAMPLE_TIME = '2026-11-20T09:30:00.000Z';

export const WEBHOOK_PARAMS = Type.Object({ id: Type.String({ description: 'Webhook endpoint id.' }) });
export const DELIVERY_PARAMS = Type.Object({
  id: Type.String({ description: 'Webhook endpoint id.' }),
  did: Type.String({ description: 'Delivery id.' }),
});

const Subscription = Type.Enum([...EVENT_TYPES, '*'], {
  description:
    'An event type, or * for all whose name begins with email: those of acknowledgement are named.',
  $id: 'Subscription',
});
const Events = Type.Array(Subscription, {
  minItems: 1,
  maxItems: EVENT_TYPES.length + 1,
  description: 'Event types that the endpoint receives.',
  examples: [['email.sent', 'email.bounced'], ['*']],
});
const Url = Type.String({
  maxLength: URL_MAX_CHARS,
  description:
    'https, resolving to public addresses only; no credentials, no fragment. Checked now and at each connection.',
  examples: ['https://example.com/hooks/acuse'],
});
const Description = Type.String({
  maxLength: DESCRIPTION_MAX_CHARS,
  pattern: '^[^\\x00]*$',
  description: 'A label of your own.',
  examples: ['billing'],
});

export const NewWebhook = named(
  'NewWebhook',
  { url: Url, events: Events, description: Type.Optional(Description) },
  {
    examples: [
      {
        url: 'https://example.com/hooks/acuse',
        events: ['email.sent', 'email.bounced'],
        description: 'billing',
      },
    ],
  },
);
export const WebhookPatch = named(
  'WebhookChange',
  {
    url: Type.Optional(Url),
    events: Type.Optional(Events),
    description: Type.Optional(nullable(Description)),
    enabled: Type.Optional(
      Type.Boolean({
        description: 'true enables the endpoint again; false disables it, and events waiting for it fail.',
      }),
    ),
  },
  { examples: [{ events: ['*'] }, { enabled: true }] },
);

const webhookFields = {
  id: Id,
  url: Url,
  events: Events,
  description: nullable(Description),
  enabled: Type.Boolean(),
  disabled_reason: nullable(
    Type.Enum(['gone', 'failing', 'manual'], { $id: 'WebhookDisabledReason' }),
    'gone: it answered 410; failing: only failures for five days; manual: disabled by request; null: it is enabled.',
  ),
  failing_since: nullable(Timestamp, 'First failure since the last success.'),
  disables_at: nullable(
    Timestamp,
    'When it is disabled if it does nothing but fail until then. null: it is not failing, or is disabled.',
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
};
const exampleWebhook = {
  id: ID_EXAMPLE,
  url: 'https://example.com/hooks/acuse',
  events: ['email.sent', 'email.bounced'],
  description: 'billing',
  enabled: true,
  disabled_reason: null,
  failing_since: null,
  disables_at: null,
  created_at: EXAMPLE_TIME,
  updated_at: EXAMPLE_TIME,
};
export const WebhookSchema = named('Webhook', webhookFields, { examples: [exampleWebhook] });
export const WebhookWithSecret = named(
  'WebhookWithSecret',
  {
    ...webhookFields,
    secret: Type.String({
      description:
        'Secret that signs the deliveries. It is shown only once: keep it to verify Service-Signature.',
    }),
  },
  { examples: [{ ...exampleWebhook, secret: 'whsec_kJ0nBXhxRr6MmZ1xXl0m0C0mYyq0ZzQ0m3o1y1mJq4E=' }] },
);

const responseFields = {
  response_headers: nullable(
    mapOf(Type.String()),
    'Header fields of the answer, by name in lower case: the first 40, 4,096 characters in all; values that open sessions are hidden. null: no answer came, or the message was erased.',
  ),
  response_excerpt: nullable(
    Type.String(),
    'The first 4 KiB of the answer as text, as they came. null: no answer came, or the message was erased.',
  ),
};
const exampleRequest = { 'Service-Event': 'email.sent', 'webhook-id': ID_EXAMPLE };
const exampleResponse = {
  response_headers: { 'content-type': 'text/plain' },
  response_excerpt: 'ok',
};

const examplePingBody = JSON.stringify({
  type: 'email.sent',
  created_at: EXAMPLE_TIME,
  data: { message_id: ID_EXAMPLE, event_id: ID_EXAMPLE, synthetic: true },
});
export const PingResult = named(
  'WebhookPing',
  {
    delivered: Type.Boolean({ description: 'The endpoint answered 2xx.' }),
    status_code: nullable(Type.Integer(), 'null: no answer came.'),
    duration_ms: Type.Integer({ minimum: 0 }),
    error: nullable(Type.String(), 'Why it was not delivered.'),
    ...responseFields,
    request: named(
      'WebhookPingRequest',
      { headers: mapOf(Type.String()), body: Type.String() },
      { description: 'The request body as it was sent, byte for byte.' },
    ),
  },
  {
    examples: [
      {
        delivered: true,
        status_code: 200,
        duration_ms: 84,
        error: null,
        ...exampleResponse,
        request: { headers: { 'Service-Event': 'email.sent' }, body: examplePingBody },
      },
    ],
  },
);

const DeliveryStatus = Type.Enum(['pending', 'delivered', 'failed'], {
  $id: 'WebhookDeliveryStatus',
  description: 'pending: in progress or to be retried; failed: given up, can be replayed.',
});

export const DELIVERIES_QUERY = closed({
  ...PAGE_QUERY,
  status: Type.Optional(DeliveryStatus),
  type: Type.Optional(
    Type.Array(EventName, {
      minItems: 1,
      description: 'Deliveries of these events: repeat it, or separate them by commas.',
      examples: [['email.bounced']],
    }),
  ),
  ...CREATED_QUERY,
});

const deliveryFields = {
  id: Id,
  event_id: Id,
  message_id: Id,
  type: EventName,
  status: DeliveryStatus,
  attempts: Type.Integer({ minimum: 0, description: 'Attempts made, replays included.' }),
  last_status_code: nullable(Type.Integer()),
  last_error: nullable(Type.String()),
  created_at: Timestamp,
  delivered_at: nullable(Timestamp),
  next_attempt_at: nullable(Timestamp),
};
const exampleDelivery = {
  id: ID_EXAMPLE,
  event_id: ID_EXAMPLE,
  message_id: ID_EXAMPLE,
  type: 'email.sent',
  status: 'delivered',
  attempts: 2,
  last_status_code: 200,
  last_error: null,
  created_at: EXAMPLE_TIME,
  delivered_at: '2026-11-20T09:30:05.120Z',
  next_attempt_at: null,
};
const DeliverySchema = named('WebhookDelivery', deliveryFields, { examples: [exampleDelivery] });
export const DeliveryPage = pageSchema(DeliverySchema, {
  scanned_to: nullable(
    Timestamp,
    'With a filter, on a page that is not full: created_at of the oldest delivery read. Continue with next_cursor. null: the page is full, or it is the last.',
  ),
});
export const DeliveryDetail = named(
  'WebhookDeliveryDetail',
  {
    ...deliveryFields,
    body: Type.String({ description: 'The exact body, the same in every attempt.' }),
    attempt_log: Type.Array(
      named('WebhookAttempt', {
        attempt: Type.Integer({ minimum: 1 }),
        started_at: Timestamp,
        duration_ms: Type.Integer({ minimum: 0 }),
        status_code: nullable(Type.Integer()),
        error: nullable(Type.String()),
        request_headers: mapOf(Type.String(), {
          description:
            'Header fields that were sent, without the signatures: recompute those with the secret over body.',
        }),
        ...responseFields,
      }),
      { description: 'Oldest first.' },
    ),
  },
  {
    examples: [
      {
        ...exampleDelivery,
        body: examplePingBody,
        attempt_log: [
          {
            attempt: 1,
            started_at: EXAMPLE_TIME,
            duration_ms: 31,
            status_code: 503,
            error: 'answered 503',
            request_headers: exampleRequest,
            response_headers: { 'content-type': 'text/plain', 'retry-after': '5' },
            response_excerpt: 'starting up',
          },
          {
            attempt: 2,
            started_at: '2026-11-20T09:30:05.070Z',
            duration_ms: 50,
            status_code: 200,
            error: null,
            request_headers: exampleRequest,
            ...exampleResponse,
          },
        ],
      },
    ],
  },
);

export const ReplayRequest = named('WebhookReplayRequest', {
  since: Type.String({
    format: 'date-time',
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?(Z|[+-]\\d{2}:\\d{2})$',
    description: 'RFC 3339 time. Deliveries made before it are not affected.',
    examples: [EXAMPLE_TIME],
  }),
  waiting: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'true: deliveries that wait for their next attempt are tried now, too, with all their retries.',
    }),
  ),
});
export const REPLAY_QUERY = closed({
  since: Type.Optional(
    Type.String({
      format: 'date-time',
      maxLength: 40,
      description: 'Failed deliveries made at this moment or later (RFC 3339). Omitted: all that are kept.',
      examples: [EXAMPLE_TIME],
    }),
  ),
});
const COUNTED_MAX = [REPLAYABLE_COUNTED_MAX / 1_000, '000'].join(',');

export const ReplayCount = named(
  'WebhookReplayCount',
  {
    failed: Type.Integer({
      minimum: 0,
      description: `Failed deliveries, ${COUNTED_MAX} at most.`,
    }),
    waiting: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: `Deliveries that wait for their next attempt, ${COUNTED_MAX} at most. Absent: from a server that cannot replay them.`,
      }),
    ),
    more: Type.Boolean({ description: 'There are more: counting ended at its limit.' }),
  },
  { examples: [{ failed: 214, waiting: 12, more: false }] },
);
export const ReplayResult = named(
  'WebhookReplay',
  { replayed: Type.Integer({ minimum: 0, description: 'Number of deliveries queued again.' }) },
  { examples: [{ replayed: 17 }] },
);

export type Webhook = Static<typeof WebhookSchema>;
export type Delivery = Static<typeof DeliverySchema>;
