import {
  presentDestination,
  type presentNote,
  presentQueued,
  presentTenantQueue,
} from '../delivery/operate/present.ts';
import type { ShownDestination, ShownGroup, ShownMessage, ShownTenant } from '../delivery/operate/queue.ts';
import { hasMore, type QueueGroup } from '../delivery/operate/queue-store.ts';
import { COUNTED_MAX } from '../platform/database/shared-read.ts';
import { facts, type Lines, table } from './output.ts';

export const MORE = `more may be waiting: the count has the ${COUNTED_MAX} longest due and as many that come due next`;

export function groupTable(head: string, groups: readonly QueueGroup[], empty: string): Lines {
  const lines = groups.map(({ key, due, held, waiting, capped, oldest_at, next_at }) => [
    key,
    ...[due, held, waiting, capped].map(String),
    oldest_at.toISOString(),
    next_at.toISOString(),
  ]);
  return table([head, 'DUE', 'HELD', 'WAITING', 'CAPPED', 'OLDEST', 'NEXT'], lines, empty);
}

export interface Shown {
  answer: object;
  text: Lines;
}

export function messageAnswer(shown: ShownMessage): Shown {
  const { message, why } = shown;
  const { created_at, since } = message;
  const answer = presentQueued(shown);
  const head = facts([
    ['message', message.message_id],
    ['to', message.recipient],
    ['account', `${message.tenant_name} (${message.tenant_id})`],
    ['accepted', created_at.toISOString()],
    ['status', `${message.status} since ${since.toISOString()}`],
    ...(answer.deferral?.reason == null ? [] : [['reason', answer.deferral.reason] as const]),
  ]);
  return { answer, text: [head, '', why] };
}

export function destinationAnswer(shown: ShownDestination): Shown {
  const answer = presentDestination(shown);
  const { windows, notes, shipped } = answer;
  const noteLines = [
    ...notes.map((note) => noteLine(note)),
    ...shipped.map(({ note, value, receiver, as_of }) => [
      ...[note, String(value), 'shipped', '-', `usual for ${receiver}, as of ${as_of}`],
    ]),
  ];
  const lines = windows.map((window) => [
    window.source_pool,
    ...[window.places, window.in_use, window.waiting].map(String),
    window.closed_until ?? '-',
  ]);
  const text: Lines[][] = [
    shownText(shown),
    windows.length === 0
      ? []
      : ['', table(['POOL', 'PLACES', 'IN USE', 'WAITING', 'CLOSED UNTIL'], lines, '')],
    noteLines.length === 0 ? [] : ['', table(NOTE_HEADS, noteLines, '')],
    shown.tenants.length === 0 ? [] : ['', groupTable('ACCOUNT', shown.tenants, '')],
  ];
  return { answer, text: text.flat() };
}

export const NOTE_HEADS = ['NOTE', 'VALUE', 'SOURCE', 'UNTIL', 'REASON'];

export function noteLine({ note, value, source, reason, ends_at }: ReturnType<typeof presentNote>): string[] {
  return [note, String(value), source, ends_at ?? '-', reason];
}

export function tenantAnswer(shown: ShownTenant): Shown {
  const answer = presentTenantQueue(shown);
  const text: Lines[][] = [
    shownText(shown),
    shown.destinations.length === 0 ? [] : ['', groupTable('DESTINATION', shown.destinations, '')],
  ];
  return { answer, text: text.flat() };
}

function shownText({ queue, pause, lastReplies, reasons }: ShownGroup): Lines[] {
  const state = facts([
    [
      'paused',
      pause === null ? 'no' : `since ${pause.paused_at.toISOString()} by ${pause.paused_by}: ${pause.reason}`,
    ],
    ['due', queue?.due ?? 0],
    ['held', queue?.held ?? 0],
    ['waiting', queue?.waiting ?? 0],
    ['capped', queue?.capped ?? 0],
    ['oldest', queue?.oldest_at.toISOString() ?? null],
    ['next', queue?.next_at.toISOString() ?? null],
  ]);
  const more = hasMore(queue) ? ['', MORE] : [];
  const why = reasons.map(({ reason, count }) => [String(count), reason ?? 'not recorded']);
  const replies = lastReplies.map(({ count, code, text }) => [String(count), String(code ?? '-'), text]);
  return [
    ...[state, ...more],
    ...(why.length === 0 ? [] : ['', table(['MESSAGES', 'DEFERRED BECAUSE'], why, '')]),
    ...(replies.length === 0 ? [] : ['', table(['MESSAGES', 'CODE', 'LAST REPLY'], replies, '')]),
  ];
}
