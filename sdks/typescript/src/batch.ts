/** Batches of any size: cut into requests, outcomes in the caller's order. */
import { jsonText } from './body.ts';
import { type Calls, isOutcomeUnknown } from './calls.ts';
import { OPERATIONS } from './contract-generated.ts';
import { decide } from './decide.ts';
import {
  AcuseError,
  ApiError,
  apiError,
  CancelledError,
  ConfigurationError,
  ProtocolError,
} from './errors.ts';
import { FIXES, STATUSES } from './errors-generated.ts';
import { readIdempotencyKey } from './keys.ts';
import type { CallOptions } from './options.ts';
import type { BatchItem, BatchItemResult, BatchResult, Message } from './types-generated.ts';

/** Items of a request. */
export const BATCH_MAX = 100;
/** Recipients of a request, of all its items. */
const RECIPIENTS_MAX = 1_000;
/** Bytes of a request: the API takes 64 MiB. */
const REQUEST_MAX_BYTES = 60 * 1024 * 1024;
/** Codes of items that were not accepted and may be tried again under their key. */
const TRIED_AGAIN: ReadonlySet<string> = new Set(['unavailable', 'internal_error']);

/** A batch item whose key may be left out: it gets one. */
export type BatchDraft = Omit<BatchItem, 'idempotency_key'> & {
  readonly idempotency_key?: string | undefined;
};

/** The outcome of one item; each status apart, so that `else` narrows. */
export type BatchOutcome = { readonly index: number; readonly idempotencyKey: string } & (
  | { readonly status: 'created'; readonly message: Message }
  | { readonly status: 'replayed'; readonly message: Message }
  /** Refused; `error` says why. Nothing was sent. */
  | { readonly status: 'failed'; readonly error: AcuseError }
  /** Its request was lost for good: it may have been sent. Send it again under its key. */
  | { readonly status: 'unknown'; readonly error: AcuseError }
);

interface Item {
  readonly index: number;
  readonly key: string;
  readonly json: string;
  readonly bytes: number;
  readonly recipients: number;
}

export async function sendInBatches(
  calls: Calls,
  drafts: readonly BatchDraft[],
  options: CallOptions | undefined,
): Promise<BatchOutcome[]> {
  if (!Array.isArray(drafts)) throw new ConfigurationError('sendBatch takes a list of messages.');
  const outcomes = new Array<BatchOutcome>(drafts.length);
  const items: Item[] = [];
  for (const [index, draft] of drafts.entries()) {
    const item = readItem(draft, index);
    if ('error' in item) outcomes[index] = item;
    else items.push(item);
  }
  for (const chunk of cut(items))
    for (const outcome of await sendChunk(calls, chunk, options)) outcomes[outcome.index] = outcome;
  return outcomes;
}

/** An invalid item fails alone, as in the API. */
function readItem(draft: unknown, index: number): Item | (BatchOutcome & { readonly status: 'failed' }) {
  let idempotencyKey = '';
  try {
    if (typeof draft !== 'object' || draft === null)
      throw new ConfigurationError(`Item ${index} of the batch is not an object.`);
    const { idempotency_key: given, ...message } = draft as { idempotency_key?: string };
    if (typeof given === 'string') idempotencyKey = given;
    const key = readIdempotencyKey(given);
    const json = jsonText({ idempotency_key: key, ...message });
    const bytes = new TextEncoder().encode(json).length + 1;
    return { index, key, json, bytes, recipients: countRecipients(message) };
  } catch (error) {
    if (error instanceof ConfigurationError) return { index, idempotencyKey, status: 'failed', error };
    throw error;
  }
}

function countRecipients(message: { to?: unknown; cc?: unknown; bcc?: unknown }): number {
  return [message.to, message.cc, message.bcc]
    .map((list) => (Array.isArray(list) ? list.length : list === undefined || list === null ? 0 : 1))
    .reduce((sum, each) => sum + each, 0);
}

/** In order; an item that alone exceeds a limit gets a request of its own, which the API refuses. */
function cut(items: readonly Item[]): Item[][] {
  const chunks: Item[][] = [];
  let bytes = 0;
  let recipients = 0;
  for (const item of items) {
    const chunk = chunks.at(-1);
    const fits =
      chunk !== undefined &&
      chunk.length < BATCH_MAX &&
      bytes + item.bytes <= REQUEST_MAX_BYTES &&
      recipients + item.recipients <= RECIPIENTS_MAX;
    if (fits) chunk.push(item);
    else {
      chunks.push([item]);
      bytes = 0;
      recipients = 0;
    }
    bytes += item.bytes;
    recipients += item.recipients;
  }
  return chunks;
}

async function sendChunk(
  calls: Calls,
  chunk: readonly Item[],
  options: CallOptions | undefined,
): Promise<BatchOutcome[]> {
  const outcomes = new Map<number, BatchOutcome>();
  const { maxRetries = calls.settings.maxRetries } = options ?? {};
  const startedMs = calls.settings.clock();
  let left = chunk;
  let again = true;
  for (let attempt = 1; ; attempt++) {
    for (const outcome of await sendOnce(calls, left, options)) {
      // An earlier refusal stands, unless the item may have been accepted since.
      const isOfRequest = outcome.status === 'failed' && !isOfItem(outcome.error);
      if (attempt === 1 || !isOfRequest) outcomes.set(outcome.index, outcome);
      again = !isOfRequest;
    }
    if (!again) return [...outcomes.values()];
    left = left.filter(({ index }) => {
      const outcome = outcomes.get(index);
      return outcome?.status === 'failed' && isOfItem(outcome.error) && TRIED_AGAIN.has(outcome.error.code);
    });
    const delayMs = left.length === 0 ? null : pause(calls, attempt, maxRetries, startedMs);
    if (delayMs === null) return [...outcomes.values()];
    await rest(calls, delayMs, options?.signal);
  }
}

/** As long as any call waits after a 503; null: no more retries. */
function pause(calls: Calls, attempt: number, maxRetries: number, startedMs: number): number | null {
  const { settings } = calls;
  const decision = decide({
    retry: 'keyed',
    outcome: { kind: 'answer', status: 503, code: 'unavailable' },
    headers: {},
    attempt,
    random: settings.random(),
    budget: Number.POSITIVE_INFINITY,
    timeLeftMs: startedMs + settings.deadlineMs - settings.clock(),
    maxRetries,
    nowMs: settings.clock(),
  });
  return decision.delayMs;
}

async function rest(calls: Calls, ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await calls.settings.sleep(ms, signal);
  } catch (cause) {
    if (signal?.aborted) throw new CancelledError('The call was cancelled.', {}, { cause });
    throw cause;
  }
}

/** Not of a whole request, which was tried again already. */
function isOfItem(error: AcuseError): error is ApiError {
  return error instanceof ApiError && error.attempts === 0;
}

async function sendOnce(
  calls: Calls,
  items: readonly Item[],
  options: CallOptions | undefined,
): Promise<BatchOutcome[]> {
  const body = new TextEncoder().encode(`{"messages":[${items.map(({ json }) => json).join(',')}]}`);
  try {
    const { results } = (await calls.value(OPERATIONS['messages.sendBatch'], {
      body,
      options,
    })) as BatchResult;
    return items.map((item, at) =>
      outcomeOf(
        item,
        results.find(({ index }) => index === at),
      ),
    );
  } catch (error) {
    if (error instanceof CancelledError || !(error instanceof AcuseError)) throw error;
    const status = isOutcomeUnknown(error) ? 'unknown' : 'failed';
    return items.map(({ index, key }) => ({ index, idempotencyKey: key, status, error }));
  }
}

function outcomeOf({ index, key }: Item, result: BatchItemResult | undefined): BatchOutcome {
  const base = { index, idempotencyKey: key };
  const { status, message, error } = result ?? {};
  if (message && status === 'created') return { ...base, status: 'created', message };
  if (message && status === 'replayed') return { ...base, status: 'replayed', message };
  if (!error) {
    const facts = { idempotencyKey: key, outcomeUnknown: true, status: 200 };
    return {
      ...base,
      status: 'unknown',
      error: new ProtocolError('The answer has no result for this item.', facts),
    };
  }
  const { code } = error;
  const told = { status: STATUSES[code] ?? 422, code, fix: FIXES[code], outcomeUnknown: false };
  return { ...base, status: 'failed', error: apiError(error.message, { ...told, idempotencyKey: key }) };
}
