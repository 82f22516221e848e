import type { Clock } from '../platform/clock.ts';
import type { Stop } from '../platform/light-abort.ts';
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
 * One attempt, outside transactions. `signal`: we stop, no result; `cut`: too slow, a failure. Throws only if
 * the secrets do not open.
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
  const result = await deps.http.post(delivery.url, headers, delivery.body, signal, cut);
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
