import type { Clock } from '../platform/clock.ts';
import { rootOf, type Tracing } from '../platform/tracing/tracing.ts';
import type { Accept, Accepted } from './accept.ts';
import type { SendRequest } from './prepare.ts';

/** Each message gets its own trace, linked to the request. */
export function tracedAccept(accept: Accept, tracing: Tracing, clock: Pick<Clock, 'now'>): Accept {
  function add({ kind, message }: Accepted, request: SendRequest, startedAt: Date): void {
    const { trace = null } = request;
    const ids = [message.id, ...(message.copies ?? []).map(({ id }) => id)];
    trace?.messages.push(...ids);
    if (kind === 'replayed') return;
    const finishedAt = clock.now();
    for (const id of ids)
      tracing.add({
        name: 'accept message',
        kind: 'internal',
        startedAt,
        finishedAt,
        self: rootOf(id),
        attributes: { 'acuse.message_id': id, 'acuse.certified': message.certified },
        links: trace === null ? [] : [trace.span],
      });
  }
  async function one(request: SendRequest): Promise<Accepted> {
    const startedAt = clock.now();
    const accepted = await accept(request);
    add(accepted, request, startedAt);
    return accepted;
  }
  async function all(requests: readonly SendRequest[]): Promise<Accepted[]> {
    const startedAt = clock.now();
    const accepted = await accept.all(requests);
    for (const [at, each] of accepted.entries()) add(each, requests[at]!, startedAt);
    return accepted;
  }
  const { madeBefore, replayOf, prepare, drain, waiting, waitedMs } = accept;
  return Object.assign(one, { all, madeBefore, replayOf, prepare, drain, waiting, waitedMs });
}
