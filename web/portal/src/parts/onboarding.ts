import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiClient } from '../../../shared/api/client.ts';
import type { Onboarding } from '../../../shared/api/portal-types.ts';

/** A step that somebody takes elsewhere is seen this much later at most (ms). */
const AGAIN_MS = 5_000;

export function onboardingQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['onboarding'],
    queryFn: ({ signal }) => api.call<Onboarding>('GET', '/onboarding', { signal }),
    refetchInterval: ({ state: { data } }) =>
      data?.steps.every(({ done }) => done) === true ? false : AGAIN_MS,
  });
}

/** Where the browser keeps the accounts whose steps were put away. */
const KEY = 'acuse.steps';

/** True if somebody hid this account's steps in this browser; and a function that hides them. */
export function useStepsAway(accountId: string): [boolean, () => void] {
  const [away, setAway] = useState(readAway);
  const putAway = () => {
    const next = [...away, accountId];
    setAway(next);
    try {
      localStorage.setItem(KEY, next.join(' '));
    } catch {
      // Without storage the choice lasts until the page is left.
    }
  };
  return [away.includes(accountId), putAway];
}

function readAway(): readonly string[] {
  try {
    return localStorage.getItem(KEY)?.split(' ') ?? [];
  } catch {
    return [];
  }
}

/**
 * The first message that somebody checked here and found valid is verified at the server too, so that the
 * step on Home is done: an entry of the access log, by whom and when. Later checks stay in the browser.
 */
export async function tellFirstVerification(
  api: ApiClient,
  client: QueryClient,
  messageId: string,
): Promise<void> {
  const { steps } = await api.call<Onboarding>('GET', '/onboarding');
  if (!steps.some(({ step, done }) => step === 'verified' && !done)) return;
  await api.call('POST', '/verify', { body: { message_id: messageId } });
  await client.invalidateQueries({ queryKey: ['onboarding'] });
}
