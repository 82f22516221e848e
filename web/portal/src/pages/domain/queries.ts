import { queryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../../../../shared/api/client.ts';
import type {
  Domain,
  DomainReports,
  DomainRequirements,
  SenderPage,
} from '../../../../shared/api/portal-types.ts';

/** Somebody else may trigger the look-up (ms). */
const LOOK_EVERY_MS = 15_000;
/** More than anybody counts. */
const SENDER_ROWS = 100;

export function domainQuery(api: ApiClient, id: string) {
  return queryOptions({
    queryKey: ['domains', 'one', id],
    queryFn: ({ signal }) => api.call<Domain>('GET', `/domains/${id}`, { signal }),
    refetchInterval: LOOK_EVERY_MS,
  });
}

export function sendersOfQuery(api: ApiClient, id: string) {
  return queryOptions({
    queryKey: ['senders', 'of', id],
    queryFn: ({ signal }) =>
      api.call<SenderPage>('GET', '/senders', { query: { domain_id: id, limit: SENDER_ROWS }, signal }),
  });
}

/** Reports about it in the last 30 days. */
export function reportsOfQuery(api: ApiClient, id: string) {
  return queryOptions({
    queryKey: ['domains', 'reports', id],
    queryFn: ({ signal }) => api.call<DomainReports>('GET', `/domains/${id}/reports`, { signal }),
  });
}

/** How it stands with the rules for bulk senders. */
export function requirementsOfQuery(api: ApiClient, id: string) {
  return queryOptions({
    queryKey: ['domains', 'requirements', id],
    queryFn: ({ signal }) => api.call<DomainRequirements>('GET', `/domains/${id}/requirements`, { signal }),
  });
}
