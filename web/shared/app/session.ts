import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Language } from '../words/words.ts';
import { useApi } from './api-context.tsx';

/** Who is signed in, and for which accounts: the console's operators have none. */
export interface Session {
  readonly user: SessionUser;
  readonly accounts: readonly SessionAccount[];
  readonly authenticated_at: string;
  readonly expires_at: string;
}

export interface SessionUser {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly locale: Language | null;
  readonly time_zone: string | null;
}

export interface SessionAccount {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly sandbox: boolean;
  readonly role: string;
  readonly scopes: readonly string[];
  /** The account demands one, and this person has none yet. */
  readonly second_factor_missing: boolean;
}

export const SESSION_KEY = ['session'] as const;

/** The session; its query fails with 401 when there is none. */
export function useSession() {
  const api = useApi();
  return useQuery(
    queryOptions({
      queryKey: SESSION_KEY,
      queryFn: ({ signal }) => api.call<Session>('GET', '/session', { signal, unchallenged: true }),
      staleTime: 60_000,
      retry: false,
    }),
  );
}
