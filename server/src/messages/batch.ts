import { jcsBytes } from '@acuse/evidence/jcs';
import { ApiError, type ApiErrorCode, apiError, notAccepted } from '../errors.ts';
import { asApiError } from '../input-errors.ts';
import { isUnavailable } from '../platform/database/failures.ts';
import { UNAVAILABLE_RETRY_SECONDS } from '../platform/http/http-errors.ts';
import type { RequestTrace } from '../platform/http/request-trace.ts';
import type { Log } from '../platform/logger.ts';
import type { Threads } from '../platform/threads/threads.ts';
import type { Accept } from './accept.ts';
import { readBatchItem, readBatchItems } from './batch-items.ts';
import { COPIES_MAX_BYTES } from './copies.ts';
import { readLargeBatch } from './large-bodies.ts';
import type { ReadItem } from './large-jobs.ts';
import type { CopyRoom, SendingKey } from './prepare.ts';
import type { PresentedMessage } from './present.ts';
import { withoutBcc } from './submission.ts';

export type BatchResult =
  | { index: number; status: 'created' | 'replayed'; message: PresentedMessage }
  | { index: number; status: 'failed'; error: { code: ApiErrorCode; message: string } };

interface BatchAnswer {
  created: number;
  failed: number;
  replayed: number;
  results: BatchResult[];
}

/**
 * Up to 100 items, each with its own outcome, committed in as few groups as possible. `body`: its value, or
 * its bytes when large. Throws invalid_body, empty_batch, batch_too_large, and unavailable if nothing was
 * accepted.
 */
export async function sendBatch(
  deps: { accept: Accept; log: Log; threads: Threads },
  { tenantId, key, trace }: Omit<BatchPlace, 'copyRoom'>,
  body: unknown,
): Promise<BatchAnswer> {
  const { accept, log, threads } = deps;
  const place = { tenantId, key, trace, copyRoom: { bytes: COPIES_MAX_BYTES } };
  const sent =
    body instanceof Uint8Array
      ? (await readLargeBatch(threads, tenantId, body)).map((item, index) =>
          sendReadItem(accept, place, item, index),
        )
      : readBatchItems(body).map((item, index) => sendItem(accept, place, item, index));
  const results = await Promise.all(
    sent.map((result, index) => result.catch((error) => failed(log, error, index))),
  );
  refuseWhenNoneWasTaken(results);
  const count = (status: BatchResult['status']) =>
    results.filter((result) => result.status === status).length;
  return { created: count('created'), failed: count('failed'), replayed: count('replayed'), results };
}

/** A batch refused by overload answers as a single send. */
function refuseWhenNoneWasTaken(results: readonly BatchResult[]): void {
  const failures = results.flatMap((result) => (result.status === 'failed' ? [result.error] : []));
  const unavailable = failures.filter(({ code }) => code === 'unavailable');
  if (failures.length < results.length || unavailable.length === 0) return;
  const nothing = notAccepted();
  // Only if it is certain for every item.
  if (unavailable.every(({ message }) => message === nothing.message)) throw nothing;
  throw apiError('unavailable', undefined, { retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS });
}

/** The batch's owner, and the room for copies. */
interface BatchPlace {
  readonly tenantId: string;
  readonly key: SendingKey | null;
  readonly copyRoom: CopyRoom;
  readonly trace: RequestTrace | null;
}

async function sendItem(
  accept: Accept,
  place: BatchPlace,
  item: unknown,
  index: number,
): Promise<BatchResult> {
  const { idempotencyKey, submission } = readBatchItem(item, index);
  // The item's canonical JSON, which the sender can recompute.
  const submissionBytes = asApiError(() => jcsBytes(withoutBcc(item)));
  const { kind, message } = await accept({ ...place, idempotencyKey, submission, submissionBytes });
  return { index, status: kind, message };
}

async function sendReadItem(
  accept: Accept,
  place: BatchPlace,
  item: ReadItem,
  index: number,
): Promise<BatchResult> {
  if (item.kind === 'refused') throw apiError(item.code, item.message);
  const { idempotencyKey, submission, submissionBytes } = item;
  const { kind, message } = await accept({ ...place, idempotencyKey, submission, submissionBytes });
  return { index, status: kind, message };
}

function failed(log: Log, error: unknown, index: number): BatchResult {
  if (error instanceof ApiError) return { index, status: 'failed', ...error.toBody() };
  if (isUnavailable(error)) return { index, status: 'failed', ...apiError('unavailable').toBody() };
  log.error({ err: error, index }, 'a batch item failed');
  return { index, status: 'failed', ...apiError('internal_error').toBody() };
}
