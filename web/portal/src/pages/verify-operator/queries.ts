import { queryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../../../../shared/api/client.ts';
import { ApiError } from '../../../../shared/api/error.ts';
import type { Evidence, MessagePage } from '../../../../shared/api/portal-types.ts';
import { checkLog } from '../../../../shared/evidence/checker.ts';
import { type Kept, keep, readKept } from '../../../../shared/evidence/log/held.ts';
import type { OwnEntry, OwnPromise, Watched } from '../../../../shared/evidence/log/watched.ts';
import { nowIso, secondsNow } from '../../../../shared/format/clock.ts';

/** The account's newest messages, which are looked up in the log. */
const ENTRIES = 10;
/** Open promises that are asked for. */
const PROMISES = 20;
/** How often it is looked again, while the page is visible (ms). */
const AGAIN_MS = 60_000;

export interface LogLook {
  readonly watched: Watched;
  /** When this browser saw what it holds the operator to; null: now for the first time. */
  readonly heldSince: string | null;
}

export const LOG_KEY = 'log';

export function logQuery(api: ApiClient, account: string) {
  return queryOptions({
    queryKey: [LOG_KEY, account],
    queryFn: ({ signal }) => look({ api, account, signal }),
    refetchInterval: AGAIN_MS,
    staleTime: 0,
  });
}

interface Asking {
  readonly api: ApiClient;
  readonly account: string;
  readonly signal: AbortSignal;
}

async function look(asking: Asking): Promise<LogLook> {
  const { api, signal } = asking;
  const kept = readKept();
  const [sealed, open] = await Promise.all([
    api.call<MessagePage>('GET', '/messages', { query: { sealed: true, limit: ENTRIES }, signal }),
    api.call<MessagePage>('GET', '/messages', {
      query: { sealed: false, certified: true, limit: PROMISES },
      signal,
    }),
  ]);
  const evidences = await Promise.all(sealed.data.map(({ id }) => evidenceOf(asking, id)));
  const known = evidences.filter((each) => each !== null);
  const promises = await promisesOf(asking, open, kept);
  const bundle =
    sealed.data[0] && (await api.bytes(`/messages/${sealed.data[0].id}/proof-bundle`, { signal }));
  const answer = await checkLog(
    {
      kind: 'log',
      held: kept?.held ?? null,
      entries: known.map(entryOf),
      promises,
      sealedSize: known.length === 0 ? null : Math.max(...known.map(({ tree_size: size }) => size)),
      bundle: bundle === undefined ? null : new Uint8Array(await bundle.arrayBuffer()),
      nowSeconds: secondsNow(),
    },
    signal,
  );
  if (answer.kind === 'unreachable')
    throw new ApiError({ status: answer.status, code: 'unreachable', message: '', requestId: null });
  remember(asking, answer.watched, promises);
  return { watched: answer.watched, heldSince: kept?.held.at ?? null };
}

/** Open promises, and those that were open before, to learn their outcome. */
async function promisesOf(asking: Asking, open: MessagePage, kept: Kept | null): Promise<OwnPromise[]> {
  const made = open.data.flatMap(({ id: messageId, promise: note }) =>
    typeof note === 'string' ? [{ messageId, note, index: null }] : [],
  );
  const earlier = (kept?.promises ?? []).filter(
    ({ account, note }) => account === asking.account && made.every((each) => each.note !== note),
  );
  const followed = earlier.map(async ({ messageId, note }): Promise<OwnPromise> => {
    const found = await evidenceOf(asking, messageId);
    return { messageId, note, index: found?.leaf_index ?? null };
  });
  return [...made, ...(await Promise.all(followed))];
}

/** Null: it has none (yet), or the account has no such message. */
async function evidenceOf({ api, signal }: Asking, id: string): Promise<Evidence | null> {
  try {
    return await api.call<Evidence>('GET', `/messages/${id}/evidence`, { signal });
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 409)) return null;
    throw error;
  }
}

const entryOf = (found: Evidence): OwnEntry => ({
  messageId: found.message_id,
  canonicalHash: found.canonical_hash,
  index: found.leaf_index,
});

/** Only what is in order is kept: a log that was rewritten is compared with what it was, at every look. */
function remember(
  { account }: Asking,
  { key, newest, steps }: Watched,
  promises: readonly OwnPromise[],
): void {
  if (newest === null || steps.some(({ state }) => state === 'failed')) return;
  const open = promises.filter(({ index }) => index === null);
  const others = (readKept()?.promises ?? []).filter((each) => each.account !== account);
  keep({
    held: { key, note: newest.note, at: nowIso() },
    promises: [...open.map(({ messageId, note }) => ({ account, messageId, note })), ...others],
  });
}
