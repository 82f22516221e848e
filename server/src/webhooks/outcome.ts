export const RETRY_WAITS_MS = [
  5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 36_000_000,
] as const;
const RETRY_JITTER = 0.1;
/** An endpoint that only fails for this long is disabled (ms). */
export const FAILING_MAX_MS = 5 * 24 * 60 * 60 * 1_000;
const GONE = 410;
/** Retry after a local fault (ms). */
const LOCAL_FAULT_WAIT_MS = 5_000;

export type WebhookOutcome =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly dueAt: Date }
  /** No further attempt; it can be replayed. */
  | { readonly kind: 'failed' }
  /** Answered 410: the endpoint is disabled. */
  | { readonly kind: 'gone' }
  /** Aborted by a stop or a local fault: not counted. */
  | { readonly kind: 'released'; readonly dueAt: Date };

interface AttemptFacts {
  readonly result: { readonly ok: boolean; readonly statusCode: number | null; readonly ours?: boolean };
  readonly stopped: boolean;
  readonly attempt: number;
  readonly finishedAt: Date;
  readonly random: number;
}

export function decideWebhook({
  result,
  stopped,
  attempt,
  finishedAt,
  random,
}: AttemptFacts): WebhookOutcome {
  if (result.ok) return { kind: 'delivered' };
  if (result.statusCode === GONE) return { kind: 'gone' };
  if (stopped && result.statusCode === null) return { kind: 'released', dueAt: finishedAt };
  if (result.ours === true)
    return { kind: 'released', dueAt: new Date(finishedAt.getTime() + LOCAL_FAULT_WAIT_MS) };
  const waitMs = RETRY_WAITS_MS[attempt - 1];
  if (waitMs === undefined) return { kind: 'failed' };
  const jittered = waitMs * (1 + RETRY_JITTER * (2 * random - 1));
  return { kind: 'retry', dueAt: new Date(finishedAt.getTime() + jittered) };
}
