import type { Clock } from '../platform/clock.ts';
import { LightAbort, type Stop } from '../platform/light-abort.ts';
import type { AnswerExcerpt } from '../platform/network/answer-excerpt.ts';
import type { OutboundHttp } from '../platform/network/outbound-http.ts';
import type { SecretBox } from '../platform/secrets.ts';
import { decideWebhook, type WebhookOutcome } from './outcome.ts';
import type { ClaimedDelivery } from './queue-store.ts';
import { openSecrets } from './secrets.ts';
import { webhookHeaders } from './sign.ts';

export interface AttemptDeps {
  readonly clock: Clock;
  readonly secrets: SecretBox;
  readonly http: OutboundHttp;
  /** 0 ≤ n < 1, for jitter. */
  random(): number;
}

export interface Attempted {
  readonly delivery: ClaimedDelivery;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  readonly durationMs: number;
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly answer: AnswerExcerpt | null;
  readonly outcome: WebhookOutcome;
}

/**
 * Makes one attempt. No transaction is open. `signal`: we stop, so that nothing is known; `cut`: it takes too
 * long, which is a failure. Throws only when the secrets do not open.
 */
export async function attemptDelivery(
  deps: AttemptDeps,
  delivery: ClaimedDelivery,
  signal: Stop,
  cut: Stop,
): Promise<Attempted> {
  const startedAt = deps.clock.now();
  const headers = webhookHeaders({
    webhookId: delivery.webhook_id,
    eventId: delivery.event_id,
    type: delivery.type,
    body: delivery.body,
    at: startedAt,
    ...openSecrets(deps.secrets, delivery.tenant_id, delivery, startedAt),
  });
  const result = await brokenOffBy([signal, cut], (broken) =>
    deps.http.post(delivery.url, headers, delivery.body, broken),
  );
  const { statusCode, durationMs, answer } = result;
  const finishedAt = new Date(startedAt.getTime() + durationMs);
  const outcome = decideWebhook({
    result,
    stopped: signal.aborted,
    attempt: delivery.attempt,
    finishedAt,
    random: deps.random(),
  });
  const error = result.ok ? null : result.error;
  return { delivery, startedAt, finishedAt, durationMs, statusCode, error, answer, outcome };
}

/**
 * AbortSignal.any over a signal as old as the process would keep every attempt's: this one lets go of both.
 */
async function brokenOffBy<T>(signals: readonly Stop[], work: (broken: Stop) => Promise<T>): Promise<T> {
  const broken = new LightAbort();
  const pass = () => broken.abort(signals.find(({ aborted }) => aborted)?.reason);
  for (const signal of signals) signal.addEventListener('abort', pass);
  if (signals.some(({ aborted }) => aborted)) pass();
  try {
    return await work(broken.signal);
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', pass);
  }
}
