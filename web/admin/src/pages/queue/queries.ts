import { queryOptions } from '@tanstack/react-query';
import type { BulkResult, PauseState, Queue, QueueSelection } from '../../../../shared/api/admin-types.ts';
import type { ApiClient } from '../../../../shared/api/client.ts';
import { oneOf, text } from '../../../../shared/routing/search.ts';

export const searchSchema = {
  by: oneOf(['destination', 'tenant', 'age'], 'destination'),
  destination: text(),
};

export interface Search {
  readonly by: 'destination' | 'tenant' | 'age';
  readonly destination: string;
}

/** Looked at this often while the page is visible (ms). */
const LOOK_EVERY_MS = 5_000;

export function queueQuery(api: ApiClient, { by, destination }: Search) {
  return queryOptions({
    queryKey: ['queue', by, destination],
    queryFn: ({ signal }) => api.call<Queue>('GET', '/queue', { query: { by, destination }, signal }),
    refetchInterval: LOOK_EVERY_MS,
  });
}

export type Target = { readonly destination: string } | { readonly tenant_id: string };

export function nameOf(target: Target): string {
  return 'destination' in target ? target.destination : target.tenant_id;
}

export function selectionQuery(api: ApiClient, target: Target) {
  return queryOptions({
    queryKey: ['queue', 'selection', target],
    queryFn: ({ signal }) =>
      api.call<QueueSelection>('GET', '/queue/selection', { query: { ...target }, signal }),
    // The confirmed number must be the shown one.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

const pausePath = (target: Target) =>
  'destination' in target
    ? `/queue/pauses/destinations/${encodeURIComponent(target.destination)}`
    : `/queue/pauses/tenants/${target.tenant_id}`;

export function pause(api: ApiClient, target: Target, reason: string): Promise<PauseState> {
  return api.call('PUT', pausePath(target), { body: { reason } });
}

export function resume(api: ApiClient, target: Target): Promise<PauseState> {
  return api.call('DELETE', pausePath(target));
}

export function actOnMany(
  api: ApiClient,
  what: 'retry' | 'cancel',
  target: Target,
  count: number,
): Promise<BulkResult> {
  return api.call('POST', `/queue/${what}`, { body: { ...target, count } });
}
