import { queryOptions } from '@tanstack/react-query';
import type {
  BulkResult,
  DestinationNote,
  DestinationNotes,
  DestinationQueue,
  PauseState,
  Queue,
  QueueSelection,
} from '../../../../shared/api/admin-types.ts';
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

export function destinationQuery(api: ApiClient, destination: string) {
  return queryOptions({
    // Apart from the list's, which is grouped by `destination`.
    queryKey: ['queue', 'one destination', destination],
    queryFn: ({ signal }) =>
      api.call<DestinationQueue>('GET', `/queue/destinations/${encodeURIComponent(destination)}`, { signal }),
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

export const NOTES = [
  'no_pipelining',
  'no_tls',
  'no_ipv6',
  'conversations',
  'messages_per_connection',
  'messages_per_minute',
] as const;
export type Note = DestinationNote['note'];
/** Notes that are true or not; the others are limits. */
export const FLAGS: ReadonlySet<Note> = new Set(['no_pipelining', 'no_tls', 'no_ipv6']);

export function notesQuery(api: ApiClient, destination: string) {
  return queryOptions({
    queryKey: ['queue', 'notes', destination],
    queryFn: ({ signal }) =>
      api.call<DestinationNotes>('GET', '/queue/notes', {
        query: destination === '' ? {} : { destination },
        signal,
      }),
  });
}

const notePath = (destination: string, note: Note) =>
  `/queue/notes/${encodeURIComponent(destination)}/${note}`;

export interface GivenNote {
  readonly destination: string;
  readonly note: Note;
  readonly value: number;
  readonly reason: string;
  readonly days: number | null;
}

export function writeNote(
  api: ApiClient,
  { destination, note, days, ...rest }: GivenNote,
): Promise<DestinationNote> {
  const body = { ...rest, ...(days === null ? {} : { days }) };
  return api.call('PUT', notePath(destination, note), { body });
}

export function forgetNote(api: ApiClient, { destination, note }: DestinationNote): Promise<unknown> {
  return api.call('DELETE', notePath(destination, note));
}
