import { MESSAGE_MAX_BYTES } from '@acuse/mail/limits';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type AuditSource, auditSource } from '../accounts/audit/append.ts';
import { API_ERRORS, type ApiErrorCode, apiError } from '../errors.ts';
import { ErrorDetail, errorAnswers, LOCATION, named } from '../platform/http/api-schema.ts';
import { type Doors, locationOf } from '../platform/http/door.ts';
import type { Log } from '../platform/logger.ts';
import type { Threads } from '../platform/threads/threads.ts';
import type { Accept, Accepted } from './accept.ts';
import type { AskPerson } from './approvals.ts';
import { sendBatch } from './batch.ts';
import { IDEMPOTENCY_KEY_MAX_CHARS, readIdempotencyKey } from './idempotency-key.ts';
import { LARGE_BYTES } from './large-bodies.ts';
import { sendingKey } from './prepare.ts';
import { MESSAGE_EXAMPLE, MessageRecord } from './present.ts';
import { isRfc822, RFC822, readSubmission } from './read-send.ts';
import {
  BATCH_BODY_LIMIT_BYTES,
  BATCH_MAX_ITEMS,
  BatchBody,
  SEND_BODY_LIMIT_BYTES,
  SendBody,
} from './send-schema.ts';

export interface SendRoutesDeps {
  log: Log;
  accept: Accept;
  threads: Threads;
  /** In place of sending, for keys whose sends a person approves. */
  askPerson: AskPerson;
}
const RFC822_EXAMPLE =
  'From: Billing <billing@example.com>\r\nTo: ana@example.net\r\nSubject: Invoice 2026-0001\r\n\r\nHello Ana\r\n';

export const IdempotencyKeyHeader = Type.Object({
  'idempotency-key': Type.String({
    minLength: 1,
    maxLength: IDEMPOTENCY_KEY_MAX_CHARS,
    pattern: '^[ -~]+$',
    description: 'Printable ASCII; unique per message, the same when you retry.',
    examples: ['invoice-2026-0001'],
  }),
});
const REPLAYED = {
  'Idempotent-Replayed': Type.String({ enum: ['true'], description: 'The message was accepted before.' }),
};

/** Answers that a send and a resend share. */
export const SEND_ANSWERS = {
  200: {
    description: 'Replayed: the message that this key made before, in its current state. Nothing was sent.',
    headers: { ...LOCATION, ...REPLAYED },
  },
  201: { description: 'Accepted: committed to disk with its place in the queue.', headers: LOCATION },
} as const;

/** Refusals of a readable message, in the order of the checks. */
export const SEND_REFUSALS = [
  'send_at_out_of_range',
  'template_not_found',
  'template_render_error',
  'domain_not_verified',
  'from_not_approved',
  'recipient_suppressed',
  'quota_exceeded',
] as const satisfies readonly ApiErrorCode[];

const ITEM_ERRORS = [
  'missing_idempotency_key',
  'invalid_idempotency_key',
  'invalid_address',
  'idempotency_key_reused',
  'accepted_before',
  ...SEND_REFUSALS,
  'approval_required',
  'approval_refused',
] as const satisfies readonly ApiErrorCode[];

export function sendRoute(doors: Doors, { accept, threads, askPerson }: SendRoutesDeps): void {
  doors.post(
    '/messages',
    {
      config: { scopes: ['messages:send'], sheds: 1, rawBody: true, mediaTypes: [RFC822] },
      bodyLimit: SEND_BODY_LIMIT_BYTES,
      // Validated by the submission reader: evidence hashes the bytes.
      validatorCompiler: () => () => true,
      schema: {
        operationId: 'sendMessage',
        retry: 'keyed',
        summary: 'Send a message',
        description:
          'Accepts a message for delivery, as JSON or as a raw message (message/rfc822: one From; To, Cc and Bcc are the recipients; default_certified applies). With several recipients it makes a message for each, all or none: the answer is the first, with the others in copies. 201 means that it is committed to disk; a replay of the same Idempotency-Key answers 200 with Idempotent-Replayed: true and costs no quota.',
        headers: IdempotencyKeyHeader,
        body: {
          content: {
            'application/json': { schema: SendBody },
            [RFC822]: { schema: Type.Unsafe<never>({ type: 'string', examples: [RFC822_EXAMPLE] }) },
          },
        },
        answers: SEND_ANSWERS,
        response: { 200: MessageRecord, 201: MessageRecord, ...errorAnswers(...ITEM_ERRORS) },
      },
    },
    async (request, reply) => {
      const contentType = request.headers['content-type'];
      const { tenantId } = request.principal;
      const key = sendingKey(request.principal);
      const body = (request.body as unknown as Buffer | undefined) ?? Buffer.alloc(0);
      // Size before key; JSON needs room for base64.
      if (isRfc822(contentType) && body.length > MESSAGE_MAX_BYTES)
        throw apiError(
          'payload_too_large',
          `The message exceeds the limit of ${MESSAGE_MAX_BYTES} bytes for a raw message.`,
        );
      const idempotencyKey = readIdempotencyKey(request.headers['idempotency-key']);
      // Reading a large body may take it.
      const asked = key?.needsApproval === true ? Buffer.from(body) : null;
      const read = await readSubmission(threads, tenantId, contentType, body);
      const send = { tenantId, idempotencyKey, key, trace: request.trace, ...read };
      const accepted =
        asked === null
          ? await accept(send)
          : await askPerson({ send, contentType, body: asked, source: sourceOf(request) });
      reply.header('Location', locationOf(request, `/messages/${accepted.message.id}`));
      if (accepted.kind === 'replayed') reply.header('Idempotent-Replayed', 'true');
      return reply.code(statusOf(accepted)).send(accepted.message);
    },
  );
}

function sourceOf(request: FastifyRequest): AuditSource {
  const { kind, ...actor } = request.principal.actor;
  return auditSource(request, { ...actor, kind: kind === 'share' ? 'user' : kind });
}

const BatchRecord = named('BatchResult', {
  created: Type.Integer({ minimum: 0, examples: [1] }),
  failed: Type.Integer({ minimum: 0, examples: [1] }),
  replayed: Type.Integer({ minimum: 0, examples: [0] }),
  results: Type.Array(
    named('BatchItemResult', {
      index: Type.Integer({ minimum: 0, description: 'Index of the item in the request.' }),
      status: Type.Enum(['created', 'replayed', 'failed']),
      message: Type.Optional(MessageRecord),
      error: Type.Optional({ ...ErrorDetail, description: 'Present only for failed items.' }),
    }),
    {
      description: 'One result per item, in order; message unless the item failed.',
      examples: [
        [
          { index: 0, status: 'created', message: MESSAGE_EXAMPLE },
          {
            index: 1,
            status: 'failed',
            error: { code: 'template_not_found', message: API_ERRORS.template_not_found.message },
          },
        ],
      ],
    },
  ),
});

export function batchRoute(doors: Doors, { accept, log, threads }: Omit<SendRoutesDeps, 'askPerson'>): void {
  doors.post(
    '/messages/batch',
    {
      config: { scopes: ['messages:send'], sheds: BATCH_MAX_ITEMS, rawBodyFrom: LARGE_BYTES },
      bodyLimit: BATCH_BODY_LIMIT_BYTES,
      // Items are validated one by one.
      validatorCompiler: () => () => true,
      schema: {
        operationId: 'sendBatch',
        retry: 'keyed',
        summary: 'Send up to 100 messages',
        description:
          'Each item has its own idempotency_key and outcome: a failing item fails alone. Results are in the order of the items.',
        body: BatchBody,
        response: { 200: BatchRecord, ...errorAnswers('empty_batch', 'batch_too_large') },
      },
    },
    ({ principal, trace, body }) => {
      const place = { tenantId: principal.tenantId, key: sendingKey(principal), trace };
      return sendBatch({ accept, log, threads }, place, body) as never;
    },
  );
}

function statusOf(accepted: Accepted): 200 | 201 {
  return accepted.kind === 'created' ? 201 : 200;
}
