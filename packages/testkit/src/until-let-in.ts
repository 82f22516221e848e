import { setTimeout as sleep } from 'node:timers/promises';

const RETRY_MS = 300;

/**
 * Sends as a client does: what is answered 503 is sent again. More than 64 sends of one account at once may
 * be refused so by a machine that is busy with something else (platform/http/shedding.ts).
 */
export async function untilLetIn<A extends { readonly status: number }>(send: () => Promise<A>): Promise<A> {
  for (;;) {
    const answer = await send();
    if (answer.status !== 503) return answer;
    await sleep(RETRY_MS);
  }
}
