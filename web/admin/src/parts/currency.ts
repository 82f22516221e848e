import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Configuration, Setting } from '../../../shared/api/admin-types.ts';
import type { ApiClient } from '../../../shared/api/client.ts';
import { useApi } from '../../../shared/app/api-context.tsx';
import { useFormat } from '../../../shared/format/format.ts';

/** It holds from the start of the process on: asked for again once an hour (ms). */
const FRESH_MS = 60 * 60 * 1_000;

export function configurationQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['configuration'],
    queryFn: ({ signal }) => api.call<Configuration>('GET', '/configuration', { signal }),
    staleTime: FRESH_MS,
  });
}

/** A variable of the environment as this process has it; undefined until it is known. */
export function useSetting(name: string): Setting | undefined {
  const { data } = useQuery(configurationQuery(useApi()));
  return data?.settings.find((each) => each.name === name);
}

/** Undefined until it is known. */
export function useCurrency(): string | undefined {
  return useSetting('ACUSE_CURRENCY')?.value ?? undefined;
}

/** Amounts in hundredths of the installation's currency. */
export function useMoney(): (cents: number) => string {
  const format = useFormat();
  const currency = useCurrency();
  return (cents) => format.money(cents, currency);
}
