import { queryOptions } from '@tanstack/react-query';
import type { Cap, Caps, NewCap } from '../../../../shared/api/admin-types.ts';
import type { ApiClient } from '../../../../shared/api/client.ts';

export function capsQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['queue', 'caps'],
    queryFn: ({ signal }) => api.call<Caps>('GET', '/queue/caps', { signal }),
  });
}

export function writeCap(api: ApiClient, body: NewCap): Promise<Cap> {
  return api.call('POST', '/queue/caps', { body });
}

export function removeCap(api: ApiClient, { cap_id: id }: Cap): Promise<unknown> {
  return api.call('DELETE', `/queue/caps/${id}`);
}
