import { type Query, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { followChanges, type Hint } from '../api/changes.ts';
import { useApi } from './api-context.tsx';

/** Hints that come within this time are one: a message has several events in a moment (ms). */
const GATHERED_MS = 300;

/**
 * Reads again what changed, as the stream of hints says. A list is left as it is, because rows must not move
 * under somebody's eyes; its newest rows are asked for beside it.
 */
export function Changes(): null {
  const api = useApi();
  const queryClient = useQueryClient();
  useEffect(() => {
    const gathered = new Map<string, Hint>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const readAgain = () => {
      timer = undefined;
      const hints = [...gathered.values()];
      gathered.clear();
      void queryClient.invalidateQueries({
        predicate: (query) => hints.some((hint) => isMeant(query, hint)),
      });
    };
    const unfollow = followChanges(api.address('/changes'), (hint) => {
      gathered.set(`${hint.kind} ${hint.id}`, hint);
      timer ??= setTimeout(readAgain, GATHERED_MS);
    });
    return () => {
      clearTimeout(timer);
      unfollow();
    };
  }, [api, queryClient]);
  return null;
}

/** Lists of these have the newest rows beside them. */
const STILL = ['messages', 'suppressions'];

/** Keys begin with the path's first part; what is of one thing holds its id. */
function isMeant({ queryKey, meta }: Query, { kind, id }: Hint): boolean {
  const [path, part, ...rest] = queryKey;
  if (meta?.['still'] === true || (part === 'list' && STILL.includes(String(path)))) return false;
  if (path === 'messages' && (kind === 'message' || kind === 'messages'))
    return part === 'newest' || id === null || [part, ...rest].includes(id);
  return (ALSO[kind] ?? [kind]).includes(String(path));
}

/** Other queries that show a list's data. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  account: ['account', 'settings', 'session'],
  members: ['members', 'session', 'settings'],
  domains: ['domains', 'senders', 'onboarding'],
};
