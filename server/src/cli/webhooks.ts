import { duration } from '../config/config-values.ts';
import { newId } from '../platform/ids.ts';
import { EVENT_TYPES } from '../webhooks/event.ts';
import { newWebhookSecret } from '../webhooks/sign.ts';
import { API_OPTIONS, type ApiClient, openApi } from './api-client.ts';
import { type Command, CommandError, defineCommand, EXIT } from './command.ts';
import type { Output } from './output.ts';
import { untilStopped } from './stop-signal.ts';
import { type Feed, type ListedEvent, openFeed, pause } from './webhooks/feed.ts';
import { createForwarder, type Forwarded, type Forwarder } from './webhooks/forward.ts';

/** Poll interval, and retry interval without an answer (ms). */
const LOOK_EVERY_MS = 1_000;
const TROUBLE_WAIT_MAX_MS = 30_000;

const listen = defineCommand({
  name: 'webhooks listen',
  summary: 'Shows events as they happen and forwards them to a program on this machine',
  details:
    'For developing a webhook receiver: no tunnel, no public address, no endpoint and no setting is needed, because it asks the API for events (the key needs evidence:read). Forwarded requests have the body, the headers and the signatures of real deliveries, with a secret of this listener, which it prints. What is not answered 2xx within 15 s is tried again as real deliveries are: after 5 s, 5 min, 30 min and so on, for as long as it runs. It runs until Ctrl-C. With --json: a line of JSON for each event and attempt.',
  options: {
    forward: {
      type: 'string',
      value: '<url>',
      doc: 'where events are POSTed; without it they are only shown',
    },
    types: {
      type: 'string',
      value: '<types>',
      multiple: true,
      doc: 'event types, separated by commas (default: all that webhooks carry)',
    },
    since: {
      type: 'string',
      value: '<time>',
      doc: 'begin with earlier events: an RFC 3339 time, or 90s, 15m, 2h, 3d ago (default: now)',
    },
    secret: { type: 'string', value: '<secret>', doc: 'whsec_… that signs, instead of a new one each time' },
    ...API_OPTIONS,
  },
  examples: [
    'acuse webhooks listen',
    'acuse webhooks listen --forward http://localhost:3000/hook',
    'acuse webhooks listen --forward http://localhost:3000/hook --types email.bounced,email.complained --since 1h',
  ],
  async run({ options, out, env }) {
    const types = readTypes(options.types);
    const since = readSince(options.since);
    const url = readForward(options.forward);
    const secret = readSecret(options.secret);
    await untilStopped(async (stop) => {
      const api = openApi(env, options, stop);
      const feed = await openFeed(api, { types, since });
      const webhookId = newId();
      const forwarder =
        url === null ? null : createForwarder({ url, secret, webhookId, stop, random: Math.random });
      begin(out, api, { url, secret, webhookId });
      const counts = await follow({ feed, forwarder, out, stop });
      end(out, counts, forwarder);
    });
  },
});

export const webhookCommands: readonly Command[] = [listen];

function begin(
  out: Output,
  api: ApiClient,
  { url, secret, webhookId }: { url: string | null; secret: string; webhookId: string },
): void {
  const signing = url === null ? {} : { forward: url, secret, webhook_id: webhookId };
  out.answer({ listening: api.url, ...signing }, () => [
    `Listening for events of ${api.url}; Ctrl-C ends it.`,
    ...(url === null ? [] : [`Forwarding to ${url}`, `Signing with ${secret}`]),
  ]);
}

interface Following {
  readonly feed: Feed;
  readonly forwarder: Forwarder | null;
  readonly out: Output;
  readonly stop: AbortSignal;
}

interface FollowCounts {
  events: number;
  received: number;
}

/** Waits while the service is away. Throws CommandError for permanent errors. */
async function follow(following: Following): Promise<FollowCounts> {
  const { out, stop } = following;
  const counts = { events: 0, received: 0 };
  let troubleMs = 0;
  while (!stop.aborted) {
    try {
      await round(following, counts);
      if (troubleMs > 0) out.note('the service answers again');
      troubleMs = 0;
    } catch (error) {
      if (stop.aborted) break;
      if (!(error instanceof CommandError) || error.exitCode !== EXIT.unavailable) throw error;
      if (troubleMs === 0) out.note(`${error.message}; waiting for it`);
      troubleMs = Math.min(TROUBLE_WAIT_MAX_MS, Math.max(LOOK_EVERY_MS, troubleMs * 2));
    }
    if (!(await pause(Math.max(LOOK_EVERY_MS, troubleMs), stop))) break;
  }
  return counts;
}

/** Retries first: they do not need the service. */
async function round({ feed, forwarder, out, stop }: Following, counts: FollowCounts): Promise<void> {
  // Aborted attempts are not reported.
  const tellUnlessStopped = (done: Forwarded) => {
    if (!stop.aborted || done.statusCode !== null) tell(out, done, counts);
  };
  if (forwarder !== null) for await (const done of forwarder.retryDue()) tellUnlessStopped(done);
  for await (const event of feed.look()) {
    counts.events++;
    if (forwarder === null) out.answer({ event }, () => eventLine(event));
    else tellUnlessStopped(await forwarder.forward(event));
    if (stop.aborted) return;
  }
}

function tell(out: Output, done: Forwarded, counts: FollowCounts): void {
  if (done.error === null) counts.received++;
  const { event, attempt, statusCode, durationMs, error, nextAttemptAt } = done;
  const value = {
    event,
    attempt,
    status_code: statusCode,
    duration_ms: durationMs,
    error,
    next_attempt_at: nextAttemptAt?.toISOString() ?? null,
  };
  out.answer(value, () => `${eventLine(event)}  → ${outcomeText(done)}`);
}

const TYPE_WIDTH = Math.max(...EVENT_TYPES.map(({ length }) => length));

function eventLine({ type, created_at, data }: ListedEvent): string {
  const to = typeof data['to'] === 'string' ? `  ${data['to']}` : '';
  return `${created_at}  ${type.padEnd(TYPE_WIDTH)}  ${data.message_id}${to}`;
}

const GONE = 410;

function outcomeText({ attempt, statusCode, durationMs, error, nextAttemptAt }: Forwarded): string {
  if (error === null) return `${statusCode} in ${durationMs} ms${attempt > 1 ? `, attempt ${attempt}` : ''}`;
  if (nextAttemptAt !== null) return `${error}; attempt ${attempt + 1} at ${nextAttemptAt.toISOString()}`;
  if (statusCode === GONE) return `${error}; not tried again: this disables a real endpoint`;
  return `${error}; not tried again`;
}

function end(out: Output, { events, received }: FollowCounts, forwarder: Forwarder | null): void {
  const waiting = forwarder?.waiting() ?? 0;
  const left = waiting === 0 ? '' : `; ${waiting} were waiting for another attempt`;
  out.progress(
    forwarder === null
      ? countText(events)
      : `${countText(events)}, ${received} received by your program${left}`,
  );
}

const countText = (events: number) => (events === 1 ? '1 event' : `${events} events`);

function readTypes(given: readonly string[]): readonly string[] {
  const types = given.flatMap((each) => each.split(',')).filter((each) => each !== '' && each !== '*');
  const unknown = types.find((type) => !(EVENT_TYPES as readonly string[]).includes(type));
  if (unknown !== undefined) throw usage(`--types takes ${EVENT_TYPES.join(', ')}, not "${unknown}"`);
  return types.length === 0 || given.includes('*') ? EVENT_TYPES : types;
}

const AGO = duration(0, 366 * 24 * 60 * 60 * 1_000);
/** RFC 3339 §5.6 */
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

function readSince(given: string | undefined): (nowMs: number) => number | null {
  if (given === undefined) return () => null;
  const agoMs = AGO.parse(given);
  if (agoMs !== undefined) return (nowMs) => nowMs - agoMs;
  const moment = Date.parse(given.toUpperCase());
  if (!MOMENT.test(given.toUpperCase()) || Number.isNaN(moment))
    throw usage(`--since takes a time such as 2026-11-20T09:30:00Z, or 15m, 2h, 3d, not "${given}"`);
  return () => moment;
}

function readForward(given: string | undefined): string | null {
  if (given === undefined) return null;
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw usage(`--forward takes an http or https URL such as http://localhost:3000/hook, not "${given}"`);
  return url.href;
}

function readSecret(given: string | undefined): string {
  if (given === undefined) return newWebhookSecret();
  if (!/^whsec_[A-Za-z0-9+/]{4,344}={0,2}$/.test(given))
    throw usage('--secret takes a secret such as an earlier listener printed: whsec_ and base64');
  return given;
}

function usage(message: string): CommandError {
  return new CommandError(EXIT.usage, 'usage', `${message}; see acuse webhooks listen --help`);
}
