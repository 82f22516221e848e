import { queryOptions } from '@tanstack/react-query';
import type { Account, Domain } from '../../../shared/api/portal-types.ts';
import { useApi } from '../../../shared/app/api-context.tsx';
import { useMe } from '../../../shared/app/me.tsx';

/** Addresses of the sandbox account, which work in every installation. */
const SANDBOX = { from: 'billing@sandbox.test', to: 'delivered@sandbox.test' };

/** Defaults of a test message: addresses that work in this account. */
export interface SendStart {
  readonly from: string;
  readonly to: string;
  readonly certified: boolean;
}

export function useSendStart() {
  const api = useApi();
  const { session } = useMe();
  return queryOptions({
    queryKey: ['send-test'],
    queryFn: async ({ signal }): Promise<SendStart> => {
      const account = await api.call<Account>('GET', '/account', { signal });
      const { data: domains } = await api.call<{ data: readonly Domain[] }>('GET', '/domains', { signal });
      const own = domains.find(({ status }) => status === 'verified')?.name;
      return {
        from: account.sandbox ? SANDBOX.from : own === undefined ? '' : `test@${own}`,
        to: account.sandbox ? SANDBOX.to : session.user.email,
        certified: account.settings.default_certified,
      };
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** A template to send a test with, as it was saved, and the data for it. */
export interface TestTemplate {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly variants: Readonly<Record<string, unknown>>;
  readonly variables: Readonly<Record<string, unknown>>;
}
