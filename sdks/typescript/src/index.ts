/** The exports of `@acuse/client`. */
export { Acuse, type ViewOptions } from './acuse.ts';
export { type Answered, answerOf } from './answers.ts';
export { Attachment, type AttachmentOptions } from './attachment.ts';
export { BATCH_MAX, type BatchDraft, type BatchOutcome } from './batch.ts';
export { type Decision, decide, type Outcome, type RetryClass, type Situation } from './decide.ts';
export * from './errors.ts';
export { ERROR_CODES } from './errors-generated.ts';
export type { Evidences } from './evidences.ts';
export { newIdempotencyKey } from './keys.ts';
export type { Log } from './log.ts';
export type { Messages, Sent } from './messages.ts';
export type * from './operations-generated.ts';
export { type AcuseOptions, type AttemptReport, type CallOptions, VERSION } from './options.ts';
export { addToOutbox, type OutboxConnection, type OutboxOptions } from './outbox.ts';
export { OUTBOX_TABLE } from './outbox-generated.ts';
export type { Listing, Page } from './paging.ts';
export {
  type HttpAnswer,
  HttpFailure,
  type HttpRequest,
  type Transport,
} from './transport/transport.ts';
export type * from './types-generated.ts';
export { EVENT_TYPES } from './types-generated.ts';
export {
  type KnownWebhookEvent,
  type OtherWebhookEvent,
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
  type WebhookOptions,
  type WebhookReason,
} from './webhooks.ts';
