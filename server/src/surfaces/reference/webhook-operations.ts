import { Type } from 'typebox';
import { EVENT_TYPES } from '../../webhooks/event.ts';
import { EVENT_SUMMARIES, eventBodySchema } from '../../webhooks/event-schemas.ts';
import type { Components } from './components.ts';
import { exampleOf } from './example.ts';
import type { Operation, Parameter } from './openapi.ts';

export const EVENT_SIGNATURE_NOTE =
  'Sent to each endpoint that subscribes to it. Compute `sha256=` plus the hex HMAC-SHA256 of the raw body, keyed with the endpoint secret, and compare it in constant time with Service-Signature. Receivers must not rely on fields beyond `type`, `created_at` and `data.message_id`.';

export function webhookOperations(components: Components): Record<string, { post: Operation }> {
  return Object.fromEntries(
    EVENT_TYPES.map((type) => {
      const schema = components.use(eventBodySchema(type));
      const name = type
        .replace(/^email\./, '')
        .replace(/\.([a-z])/, (_, first: string) => first.toUpperCase());
      const post: Operation = {
        operationId: `receive${name[0]!.toUpperCase()}${name.slice(1)}`,
        summary: EVENT_SUMMARIES[type],
        description: EVENT_SIGNATURE_NOTE,
        tags: ['Webhooks'],
        security: [],
        parameters: HEADERS(type),
        requestBody: {
          required: true,
          content: { 'application/json': { schema, example: exampleOf(schema, components.resolve) } },
        },
        responses: {
          '2XX': {
            description: 'Received. Anything else, including a redirect, is a failure and is retried.',
          },
          '410': { description: 'Gone: the endpoint is disabled at once.' },
        },
      };
      return [type, { post }];
    }),
  );
}

const header = (name: string, description: string, example: string): Parameter => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: Type.String() as unknown as Parameter['schema'],
  example,
});

const HEADERS = (type: string): Parameter[] => [
  header('Service-Event', 'The event type.', type),
  header(
    'Service-Signature',
    '`sha256=<hex>`: HMAC-SHA256 of the raw body, keyed with the characters of the secret.',
    'sha256=3f6b0c5a1d2e4f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8',
  ),
  header('Service-Webhook-Id', 'Id of the webhook endpoint.', '01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a12'),
  header('User-Agent', 'The delivery agent and its version.', 'service-webhooks/1.0'),
  header(
    'webhook-id',
    'Standard Webhooks: id of the event, the same in every attempt.',
    '01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a13',
  ),
  header('webhook-timestamp', 'Standard Webhooks: Unix time of the attempt in seconds.', '1795167000'),
  header(
    'webhook-signature',
    'Standard Webhooks: `v1,<base64>` over `id.timestamp.body`, keyed with the base64 part of the secret; two for 24 h after a rotation.',
    'v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=',
  ),
];
