import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type {
  AccountUsage,
  ApiKeyPage,
  AuditEntryPage,
  DomainPage,
  MemberPage,
  MemberRole,
  Rates,
  Tenant,
  TenantChange,
  TenantMemberLink,
  TenantQueue,
  TenantWebhookPage,
} from '../../../../shared/api/admin-types.ts';
import type { ApiClient, Query } from '../../../../shared/api/client.ts';
import { type RatesWindow, ratesWindow } from '../../../../shared/rates/window.ts';
import {
  type Days,
  isPeriod,
  type Period,
  periodQuery,
  periodSchema,
} from '../../../../shared/routing/period.ts';
import { text } from '../../../../shared/routing/search.ts';

const { days: period, ...dates } = periodSchema('all');
export const searchSchema = { days: ratesWindow, action: text(), period, ...dates };

export interface Search {
  readonly days: RatesWindow;
  readonly action: string;
  /** Period of the audit log. */
  readonly period: Days;
  readonly created_after: string;
  readonly created_before: string;
}

export function periodOf({ period, created_after, created_before }: Search): Period {
  return { days: period, created_after, created_before };
}

const LOOK_EVERY_MS = 5_000;
const LIST_EVERY_MS = 15_000;
const PAGE_ROWS = 50;

export function tenantQuery(api: ApiClient, id: string) {
  return queryOptions({
    queryKey: ['tenants', id],
    queryFn: ({ signal }) => api.call<Tenant>('GET', `/tenants/${id}`, { signal }),
    refetchInterval: LOOK_EVERY_MS,
  });
}

export function usageQuery(api: ApiClient, id: string) {
  return queryOptions({
    queryKey: ['tenants', id, 'usage'],
    queryFn: ({ signal }) => api.call<AccountUsage>('GET', `/tenants/${id}/usage`, { signal }),
    refetchInterval: LOOK_EVERY_MS,
  });
}

export function queueQuery(api: ApiClient, id: string) {
  return queryOptions({
    queryKey: ['tenants', id, 'queue'],
    queryFn: ({ signal }) => api.call<TenantQueue>('GET', `/tenants/${id}/queue`, { signal }),
    refetchInterval: LOOK_EVERY_MS,
  });
}

export function ratesQuery(api: ApiClient, id: string, days: number) {
  return queryOptions({
    queryKey: ['tenants', id, 'rates', days],
    queryFn: ({ signal }) => api.call<Rates>('GET', `/tenants/${id}/rates`, { query: { days }, signal }),
    refetchInterval: LOOK_EVERY_MS,
    placeholderData: (known) => known,
  });
}

export function membersQuery(api: ApiClient, id: string) {
  return listQuery<MemberPage>(api, id, 'members');
}

export function keysQuery(api: ApiClient, id: string) {
  return listQuery<ApiKeyPage>(api, id, 'api-keys');
}

export function domainsQuery(api: ApiClient, id: string) {
  return listQuery<DomainPage>(api, id, 'domains');
}

export function webhooksQuery(api: ApiClient, id: string) {
  return listQuery<TenantWebhookPage>(api, id, 'webhooks');
}

export const NO_FILTERS = { action: '', period: 'all', created_after: '', created_before: '' } as const;

export function countFilters(search: Search): number {
  return [search.action !== '', isPeriod(periodOf(search))].filter(Boolean).length;
}

export function toQuery(search: Search): Query {
  return { action: search.action, ...periodQuery(periodOf(search)) };
}

export function auditQuery(api: ApiClient, id: string, filters: Query) {
  return listQuery<AuditEntryPage>(api, id, 'audit', filters);
}

function listQuery<Page extends { readonly next_cursor: string | null }>(
  api: ApiClient,
  id: string,
  part: string,
  filters: Query = {},
) {
  return infiniteQueryOptions({
    queryKey: ['tenants', id, part, filters],
    queryFn: ({ signal, pageParam }) =>
      api.call<Page>('GET', `/tenants/${id}/${part}`, {
        query: { ...filters, limit: PAGE_ROWS, after: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (last: Page) => last.next_cursor,
    refetchInterval: LIST_EVERY_MS,
  });
}

export function changeTenant(api: ApiClient, id: string, change: TenantChange): Promise<Tenant> {
  return api.call('PATCH', `/tenants/${id}`, { body: change });
}

export interface NewPerson {
  readonly email: string;
  readonly name?: string;
  readonly role: MemberRole;
}

export function addMember(api: ApiClient, id: string, person: NewPerson): Promise<TenantMemberLink> {
  return api.call('POST', `/tenants/${id}/members`, { body: person });
}

export function revokeKey(api: ApiClient, id: string, keyId: string): Promise<void> {
  return api.call('DELETE', `/tenants/${id}/api-keys/${keyId}`);
}

export function vouchForDomain(api: ApiClient, id: string, domainId: string): Promise<void> {
  return api.call('POST', `/tenants/${id}/domains/${domainId}/vouch`);
}

export function pausePath(id: string): string {
  return `/queue/pauses/tenants/${id}`;
}
