import { jcsBytes } from '@acuse/evidence/jcs';
import { ApiError, type ApiErrorCode, apiError } from '../errors.ts';
import { isUnavailable } from '../platform/database/db.ts';
import type { Log } from '../platform/log.ts';
import type { Accept } from './accept.ts';
import { readIdempotencyKey } from './idempotency-key.ts';
import type { PresentedMessage } from './present.ts';
import { BATCH_MAX_ITEMS } from './send-schema.ts';
import { asApiError, readJsonSubmission } from './submission.ts';

export type BatchResult =
  | { index: number; status: 'created' | 'replayed'; message: PresentedMessage }
  | { index: number; status: 'failed'; error: { code: ApiErrorCode; message: string } };

export interface BatchAnswer {
  created: number;
  failed: number;
  replayed: number;
  /** By index, as the items stood in the request. */
  results: BatchResult[];
}

/**
 * Sends up to 100 items; each has its own outcome and a failing one fails alone. All that pass are committed in one group.
 * Throws invalid_body, empty_batch, batch_too_large for the request as a whole.
 */
export async function sendBatch(
  deps: { accept: Accept; log: Log },
  tenantId: string,
  body: unknown,
): Promise<BatchAnswer> {
  const items = readItems(body);
  const results = await Promise.all(
    items.map((item, index) =>
      sendItem(deps.accept, tenantId, item, index).catch((error) => failed(deps.log, error, index)),
    ),
  );
  const count = (status: BatchResult['status']) =>
    results.filter((result) => result.status === status).length;
  return { created: count('created'), failed: count('failed'), replayed: count('replayed'), results };
}

function readItems(body: unknown): readonly unknown[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw apiError('invalid_body', 'Send {"messages": [item, …]}.');
  const { messages, ...rest } = body as { messages?: unknown };
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined)
    throw apiError(
      'invalid_body',
      `${unknown} is not a field of this request: remove it or correct its spelling.`,
    );
  if (!Array.isArray(messages)) throw apiError('invalid_body', 'messages must be an array of items.');
  if (messages.length === 0) throw apiError('empty_batch');
  if (messages.length > BATCH_MAX_ITEMS) throw apiError('batch_too_large');
  return messages;
}

async function sendItem(
  accept: Accept,
  tenantId: string,
  item: unknown,
  index: number,
): Promise<BatchResult> {
  if (typeof item !== 'object' || item === null || Array.isArray(item))
    throw apiError('invalid_body', `messages[${index}] must be an object.`);
  const { idempotency_key: key, ...fields } = item as { idempotency_key?: unknown };
  if (key !== undefined && typeof key !== 'string') throw apiError('invalid_idempotency_key');
  const idempotencyKey = readIdempotencyKey(key);
  const submission = readJsonSubmission(fields);
  // An item has no bytes of its own in the request: its canonical JSON stands for them, which the sender can make again.
  const submissionBytes = asApiError(() => jcsBytes(item));
  const { kind, message } = await accept({ tenantId, idempotencyKey, submission, submissionBytes });
  return { index, status: kind, message };
}

function failed(log: Log, error: unknown, index: number): BatchResult {
  if (error instanceof ApiError) return { index, status: 'failed', ...error.toBody() };
  if (isUnavailable(error)) return { index, status: 'failed', ...apiError('unavailable').toBody() };
  log.error({ err: error, index }, 'a batch item failed');
  return { index, status: 'failed', ...apiError('internal_error').toBody() };
}
