import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ApiClient } from '../api/client.ts';
import type { Language } from '../words/words.ts';
import { useApi } from './api-context.tsx';

/** The person signed in, and their accounts: the console's operators have none. */
export interface Session {
  readonly user: SessionUser;
  readonly accounts: readonly SessionAccount[];
  readonly authenticated_at: string;
  readonly expires_at: string;
  /** Set by the console if others can reach it: then operators need a second factor. */
  readonly second_factor_required?: boolean;
}

export interface SessionUser {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly locale: Language | null;
  readonly time_zone: string | null;
  readonly has_password: boolean;
  readonly has_totp: boolean;
  readonly has_passkeys: boolean;
  /** For operators; in the portal roles belong to accounts. */
  readonly role?: string;
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

/** As the portal answers, or the console, whose people are operators and have no accounts. */
type SessionAnswer =
  | Session
  | (Pick<Session, 'authenticated_at' | 'expires_at'> & { readonly operator: SessionUser });

/** Throws ApiError: 401 without a session. */
export async function readSession(api: ApiClient, signal?: AbortSignal): Promise<Session> {
  const options = { unchallenged: true, ...(signal !== undefined && { signal }) };
  const answer = await api.call<SessionAnswer>('GET', '/session', options);
  if ('user' in answer) return answer;
  return { ...answer, user: answer.operator, accounts: [] };
}

export const SESSION_KEY = ['session'] as const;

/** The session; its query fails with 401 when there is none. */
export function useSession() {
  const api = useApi();
  return useQuery(
    queryOptions({
      queryKey: SESSION_KEY,
      queryFn: ({ signal }) => readSession(api, signal),
      staleTime: 60_000,
    }),
  );
}
