import { apiError } from '../errors.ts';
import { readIdempotencyKey } from './idempotency-key.ts';
import { BATCH_MAX_ITEMS, BATCH_MAX_MESSAGES } from './send-schema.ts';
import { readJsonSubmission, type Submission } from './submission.ts';

export function readBatchItems(body: unknown): readonly unknown[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw apiError('invalid_body', 'Send {"messages": [item, …]}.');
  const { messages, ...rest } = body as { messages?: unknown };
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined)
    throw apiError(
      'invalid_body',
      `${unknown} is not a field of this request, which is {"messages": [item, …]}: remove it.`,
    );
  if (!Array.isArray(messages)) throw apiError('invalid_body', 'messages must be an array of items.');
  if (messages.length === 0) throw apiError('empty_batch');
  if (messages.length > BATCH_MAX_ITEMS) throw apiError('batch_too_large');
  refuseTooManyMessages(messages);
  return messages;
}

/** Each recipient counts as a message. */
function refuseTooManyMessages(items: readonly unknown[]): void {
  let count = 0;
  for (const item of items) count += addressesIn(item);
  if (count <= BATCH_MAX_MESSAGES) return;
  throw apiError(
    'batch_too_large',
    `The items have ${count} recipients in all, over the limit of ${BATCH_MAX_MESSAGES}: split the batch.`,
  );
}

/** Counted before validation; at least one. */
function addressesIn(item: unknown): number {
  if (typeof item !== 'object' || item === null) return 1;
  const { to, cc, bcc } = item as Record<string, unknown>;
  return Math.max(1, countOf(to) + countOf(cc) + countOf(bcc));
}

function countOf(given: unknown): number {
  if (Array.isArray(given)) return given.length;
  return given === undefined || given === null ? 0 : 1;
}

/** Throws invalid_body, missing_idempotency_key, invalid_idempotency_key, invalid_address. */
export function readBatchItem(
  item: unknown,
  index: number,
): { idempotencyKey: string; submission: Submission } {
  if (typeof item !== 'object' || item === null || Array.isArray(item))
    throw apiError('invalid_body', `messages[${index}] must be an object.`);
  const { idempotency_key: key, ...fields } = item as { idempotency_key?: unknown };
  return { idempotencyKey: readKey(key), submission: readJsonSubmission(fields) };
}

/** Items have a field instead of the header. */
function readKey(key: unknown): string {
  const rule = '1 to 255 printable ASCII characters';
  if (key === undefined || key === null || key === '')
    throw apiError(
      'missing_idempotency_key',
      `Give the item an idempotency_key of its own (${rule}): it makes retries safe.`,
    );
  try {
    if (typeof key === 'string') return readIdempotencyKey(key);
  } catch (cause) {
    throw apiError('invalid_idempotency_key', `idempotency_key must be ${rule}.`, { cause });
  }
  throw apiError('invalid_idempotency_key', `idempotency_key must be text: ${rule}.`);
}
