import { queryOptions } from '@tanstack/react-query';
import type { Erasure, OpenedContent, OperatorMessage } from '../../../../shared/api/admin-types.ts';
import type { ApiClient } from '../../../../shared/api/client.ts';
import { ApiError } from '../../../../shared/api/error.ts';
import { elapsedMs, nowIso } from '../../../../shared/format/clock.ts';
import { decodeText } from '../../../../shared/mail/decode-text.ts';
import { oneOf } from '../../../../shared/routing/search.ts';

export const searchSchema = { do: oneOf(['', 'erase'], '') };

export interface Search {
  readonly do: '' | 'erase';
}

/** Looked at this often while the page is visible (ms). */
const LOOK_EVERY_MS = 5_000;
/** The rest is in the download (bytes). */
export const SHOWN_BYTES = 256 * 1024;

export function isWaiting(status: OperatorMessage['status']): boolean {
  return status === 'queued' || status === 'deferred' || status === 'scheduled';
}

export function messageQuery(api: ApiClient, id: string) {
  return queryOptions({
    queryKey: ['messages', id, 'record'],
    queryFn: ({ signal }) => api.call<OperatorMessage>('GET', `/messages/${id}`, { signal }),
    refetchInterval: LOOK_EVERY_MS,
  });
}

/** Null: closed. Asked again once it closes. */
export function contentQuery(api: ApiClient, id: string) {
  return queryOptions({
    queryKey: contentKey(id),
    queryFn: async ({ signal }) => {
      try {
        return await api.call<OpenedContent>('GET', `/messages/${id}/content`, { signal });
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },
    refetchInterval: ({ state: { data } }) =>
      data === undefined || data === null ? false : Math.max(0, elapsedMs(nowIso(), data.expires_at)) + 1_000,
    // Closed content must not stay in the browser.
    gcTime: 0,
  });
}

export function contentKey(id: string) {
  return ['messages', id, 'content'] as const;
}

export function partQuery(api: ApiClient, id: string, index: number) {
  return queryOptions({
    queryKey: ['messages', id, 'part', index],
    queryFn: async ({ signal }) => {
      const blob = await api.bytes(partPath(id, index), { signal });
      const bytes = await blob.slice(0, SHOWN_BYTES).arrayBuffer();
      return { ...decodeText(bytes), cut: blob.size > SHOWN_BYTES };
    },
    gcTime: 0,
  });
}

export function partPath(id: string, index: number): string {
  return `/messages/${id}/content/${index}`;
}

export function retry(api: ApiClient, id: string): Promise<OperatorMessage> {
  return api.call('POST', `/messages/${id}/retry`);
}

export function cancel(api: ApiClient, id: string): Promise<OperatorMessage> {
  return api.call('POST', `/messages/${id}/cancel`);
}

export function openContent(api: ApiClient, id: string, reason: string): Promise<OpenedContent> {
  return api.call('POST', `/messages/${id}/content`, { body: { reason } });
}

export function erase(
  api: ApiClient,
  id: string,
  request: { readonly reason: string; readonly force: boolean },
): Promise<Erasure> {
  return api.call('POST', `/messages/${id}/erase`, { body: request });
}
