/** What a delivery attempt leads to; pure. contract.md "Webhooks". */

/** Waits after the first failure, the second, … (ms). */
export const RETRY_WAITS_MS = [
  5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 36_000_000,
] as const;
export const RETRY_JITTER = 0.1;
/** An endpoint that has failed for so long is switched off (ms). */
export const FAILING_MAX_MS = 5 * 24 * 60 * 60 * 1_000;
const GONE = 410;

export interface AttemptResult {
  readonly ok: boolean;
  readonly statusCode: number | null;
  readonly error: string | null;
}

export type WebhookOutcome =
  | { kind: 'delivered' }
  | { kind: 'retry'; dueAt: Date }
  /** No further attempt by itself; it can be replayed. */
  | { kind: 'failed' }
  | { kind: 'disable'; reason: 'gone' | 'failing' };

export interface AttemptFacts {
  /** Attempts made, this one included. */
  readonly attempt: number;
  readonly finishedAt: Date;
  /** First failure of the endpoint since its last success. */
  readonly failingSince: Date | null;
  /** 0 ≤ n < 1. */
  readonly random: number;
}

export function decideWebhook(result: AttemptResult, facts: AttemptFacts): WebhookOutcome {
  if (result.ok) return { kind: 'delivered' };
  if (result.statusCode === GONE) return { kind: 'disable', reason: 'gone' };
  const failingMs =
    facts.failingSince === null ? 0 : facts.finishedAt.getTime() - facts.failingSince.getTime();
  if (failingMs >= FAILING_MAX_MS) return { kind: 'disable', reason: 'failing' };
  const waitMs = RETRY_WAITS_MS[facts.attempt - 1];
  if (waitMs === undefined) return { kind: 'failed' };
  const jittered = waitMs * (1 + RETRY_JITTER * (2 * facts.random - 1));
  return { kind: 'retry', dueAt: new Date(facts.finishedAt.getTime() + jittered) };
}
