import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../api-client.ts';

export interface ListedEvent {
  readonly type: string;
  readonly created_at: string;
  readonly data: Readonly<Record<string, unknown>> & {
    readonly message_id: string;
    readonly event_id: string;
  };
}

export interface Feed {
  look(): AsyncGenerator<ListedEvent>;
}

/** Overlap of polls (ms): commits lag behind their times. */
const OVERLAP_MS = 30_000;
const PAGE_LIMIT = 100;

interface FeedOptions {
  readonly types: readonly string[];
  /** Null: from now on. `nowMs`: the service's time. */
  since(nowMs: number): number | null;
}

/** Skips existing events unless asked for. Throws CommandError. */
export async function openFeed(api: ApiClient, { types, since }: FeedOptions): Promise<Feed> {
  /** Reported ids by time, within the overlap. */
  const seen = new Map<string, number>();
  const nowMs = serviceTime((await api.call('GET', '/v1/events?limit=1')).headers);
  const asked = since(nowMs);
  let fromMs = asked ?? nowMs - OVERLAP_MS;

  function begin(atMs: number): void {
    fromMs = Math.max(fromMs, atMs - OVERLAP_MS);
    for (const [id, createdMs] of seen) if (createdMs < fromMs) seen.delete(id);
  }

  async function* look(): AsyncGenerator<ListedEvent> {
    const filter = new URLSearchParams({
      order: 'asc',
      limit: String(PAGE_LIMIT),
      created_after: new Date(fromMs).toISOString(),
      ...(types.length > 0 && { type: types.join(',') }),
    });
    let startedMs = Number.POSITIVE_INFINITY;
    for (let after: string | null = ''; after !== null; ) {
      const page = await api.call('GET', `/v1/events?${filter}${after === '' ? '' : `&after=${after}`}`);
      startedMs = Math.min(startedMs, serviceTime(page.headers));
      const events = page.body.data as readonly ListedEvent[];
      for (const event of events) {
        if (seen.has(event.data.event_id)) continue;
        seen.set(event.data.event_id, Date.parse(event.created_at));
        yield event;
      }
      after = page.body.next_cursor as string | null;
      const last = events.at(-1);
      if (after !== null && last !== undefined) begin(Math.min(startedMs, Date.parse(last.created_at)));
    }
    begin(startedMs);
  }

  // Existing events are not news.
  if (asked === null) for await (const _event of look());
  return { look };
}

/** The service's clock, else ours. RFC 9110 §6.6.1 */
function serviceTime(headers: Headers): number {
  const ms = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(ms) ? Date.now() : ms;
}

/** False: aborted. */
export async function pause(ms: number, stop: AbortSignal): Promise<boolean> {
  return sleep(ms, true, { signal: stop }).catch(() => false);
}
