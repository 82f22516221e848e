import { queryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../../../../shared/api/client.ts';
import type {
  AttemptPage,
  EventPage,
  Evidence,
  MailReportList,
  Message,
  MessageParts,
  Waiting,
} from '../../../../shared/api/portal-types.ts';
import { elapsedMs, nowIso } from '../../../../shared/format/clock.ts';
import { decodeText } from '../../../../shared/mail/decode-text.ts';

/** Something changes soon, or may: how often it is looked for while the page is visible (ms). */
const SOON_MS = 2_000;
const LATER_MS = 15_000;
/** How long after its acceptance a message is expected to change (ms). */
const YOUNG_MS = 120_000;
/** As many as the API gives at once; more than a message can have. */
const PAGE_ROWS = 100;

/** Final, and sealed if certified. */
export function isSettled({ status, certified, sealed_at: sealedAt }: Message): boolean {
  return !isWaiting(status) && (!certified || sealedAt !== null);
}

export function isWaiting(status: Message['status']): boolean {
  return status === 'queued' || status === 'deferred' || status === 'scheduled';
}

export function messageQuery(api: ApiClient, id: string) {
  return queryOptions({
    queryKey: ['messages', 'one', id],
    queryFn: ({ signal }) => api.call<Message>('GET', `/messages/${id}`, { signal }),
    refetchInterval: ({ state: { data } }) => {
      if (data === undefined || isSettled(data)) return false;
      return elapsedMs(data.created_at, nowIso()) < YOUNG_MS ? SOON_MS : LATER_MS;
    },
  });
}

/** Asked for again whenever the message is another: `message.attempts` and its times are part of the key. */
export function attemptsQuery(api: ApiClient, message: Message) {
  return queryOptions({
    queryKey: ['messages', 'attempts', message.id, message.attempts],
    queryFn: ({ signal }) =>
      api.call<AttemptPage>('GET', `/messages/${message.id}/attempts`, {
        query: { limit: PAGE_ROWS },
        signal,
      }),
    placeholderData: (known) => known,
  });
}

export function eventsQuery(api: ApiClient, message: Message) {
  const { id, status, attempts, sealed_at: sealedAt } = message;
  return queryOptions({
    queryKey: ['messages', 'events', id, status, attempts, sealedAt],
    queryFn: ({ signal }) =>
      api.call<EventPage>('GET', `/messages/${id}/events`, { query: { limit: PAGE_ROWS }, signal }),
    placeholderData: (known) => known,
  });
}

/** Reports about it by mail; there may be some once a server has it. */
export function reportsQuery(api: ApiClient, message: Message) {
  return queryOptions({
    queryKey: ['messages', 'reports', message.id, message.status],
    queryFn: ({ signal }) => api.call<MailReportList>('GET', `/messages/${message.id}/reports`, { signal }),
    // Also with a later status: a complaint or a late bounce does not withdraw a receipt.
    enabled: message.sent_at !== null,
  });
}

export function waitingQuery(api: ApiClient, message: Message) {
  return queryOptions({
    queryKey: ['messages', 'waiting', message.id, message.attempts],
    queryFn: ({ signal }) => api.call<Waiting>('GET', `/messages/${message.id}/waiting`, { signal }),
    enabled: isWaiting(message.status),
    refetchInterval: LATER_MS,
  });
}

export function partsQuery(api: ApiClient, id: string) {
  return queryOptions({
    queryKey: ['messages', 'parts', id],
    queryFn: ({ signal }) => api.call<MessageParts>('GET', `/messages/${id}/parts`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function evidenceQuery(api: ApiClient, message: Message) {
  return queryOptions({
    queryKey: ['messages', 'evidence', message.id, message.sealed_at],
    queryFn: ({ signal }) => api.call<Evidence>('GET', `/messages/${message.id}/evidence`, { signal }),
    enabled: message.sealed_at !== null,
  });
}

/** The text of a part, or of the whole message: as many bytes as are shown. */
export function textQuery(api: ApiClient, path: string, shownBytes: number) {
  return queryOptions({
    queryKey: ['messages', 'text', path],
    queryFn: async ({ signal }) => {
      const blob = await api.bytes(path, { signal });
      const bytes = await blob.slice(0, shownBytes).arrayBuffer();
      return { ...decodeText(bytes), cut: blob.size > shownBytes };
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}
