import { request } from 'undici';
import { OUTBOUND_TIMEOUT_MS } from '../../platform/network/outbound-http.ts';
import { decideWebhook } from '../../webhooks/outcome.ts';
import { webhookHeaders } from '../../webhooks/sign.ts';
import type { ListedEvent } from './feed.ts';

/** Delivers events to a developer's URL as webhooks are delivered. */

export interface Forwarded {
  readonly event: ListedEvent;
  readonly attempt: number;
  readonly statusCode: number | null;
  readonly durationMs: number;
  readonly error: string | null;
  readonly nextAttemptAt: Date | null;
}

export interface Forwarder {
  forward(event: ListedEvent): Promise<Forwarded>;
  retryDue(): AsyncGenerator<Forwarded>;
  waiting(): number;
}

interface ForwarderOptions {
  readonly url: string;
  readonly secret: string;
  /** In place of the endpoint's id. */
  readonly webhookId: string;
  readonly stop: AbortSignal;
  random(): number;
}

/** Beyond it, the oldest is given up. */
const WAITING_MAX = 1_000;
const ANSWER_MAX_BYTES = 64 * 1024;

export function createForwarder(options: ForwarderOptions): Forwarder {
  const waiting = new Map<string, Forwarded>();

  async function attempt(event: ListedEvent, number: number): Promise<Forwarded> {
    const startedMs = performance.now();
    const { statusCode, error } = await post(options, event);
    const durationMs = Math.round(performance.now() - startedMs);
    const outcome = decideWebhook({
      result: { ok: error === null, statusCode },
      stopped: options.stop.aborted,
      attempt: number,
      finishedAt: new Date(),
      random: options.random(),
    });
    const nextAttemptAt = outcome.kind === 'retry' ? outcome.dueAt : null;
    const done = { event, attempt: number, statusCode, durationMs, error, nextAttemptAt };
    waiting.delete(event.data.event_id);
    if (nextAttemptAt !== null) waiting.set(event.data.event_id, done);
    for (const id of waiting.keys()) {
      if (waiting.size <= WAITING_MAX) break;
      waiting.delete(id);
    }
    return done;
  }

  return {
    forward: (event) => attempt(event, 1),
    async *retryDue() {
      for (const { event, attempt: number, nextAttemptAt } of [...waiting.values()]) {
        if (options.stop.aborted) return;
        if (nextAttemptAt!.getTime() <= Date.now()) yield await attempt(event, number + 1);
      }
    },
    waiting: () => waiting.size,
  };
}

async function post(
  { url, secret, webhookId, stop }: ForwarderOptions,
  event: ListedEvent,
): Promise<{ statusCode: number | null; error: string | null }> {
  const body = Buffer.from(JSON.stringify(event));
  const { type, data } = event;
  const signing = { webhookId, eventId: data.event_id, type, body, secret, previousSecret: null };
  const headers = webhookHeaders({ ...signing, at: new Date() });
  const time = AbortSignal.timeout(OUTBOUND_TIMEOUT_MS);
  try {
    const answer = await request(url, {
      method: 'POST',
      headers,
      body,
      signal: AbortSignal.any([time, stop]),
    });
    // The status alone decides.
    await answer.body.dump({ limit: ANSWER_MAX_BYTES, signal: time }).catch(() => {});
    const { statusCode } = answer;
    if (statusCode >= 200 && statusCode <= 299) return { statusCode, error: null };
    const redirect = statusCode >= 300 && statusCode <= 399 ? ' (redirects are not followed)' : '';
    return { statusCode, error: `answered ${statusCode}${redirect}` };
  } catch (error) {
    if (time.aborted) return { statusCode: null, error: `no answer within ${OUTBOUND_TIMEOUT_MS} ms` };
    return { statusCode: null, error: whyUnreachable(error) };
  }
}

function whyUnreachable(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (code === 'ECONNREFUSED') return 'nothing listens there';
  return String(message ?? 'failed') || String(code ?? 'failed');
}
