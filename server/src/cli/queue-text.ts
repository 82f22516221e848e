import type { Pause } from '../delivery/operate/pause-store.ts';
import type { ShownGroup, showDestination, showMessage, showTenant } from '../delivery/operate/queue.ts';
import type { QueueGroup, SeenWindow } from '../delivery/operate/queue-store.ts';
import { facts, type Lines, table } from './output.ts';

/** How `acuse queue` shows what it found. */

export function presentPause({ reason, paused_by, paused_at }: Pause) {
  return { reason, paused_by, paused_at: paused_at.toISOString() };
}

export function presentGroup(group: QueueGroup | null) {
  if (group === null) return null;
  const { oldest_at, next_at, ...counts } = group;
  return { ...counts, oldest_at: oldest_at.toISOString(), next_at: next_at.toISOString() };
}

function presentWindow({ closed_until, ...window }: SeenWindow) {
  return { ...window, closed_until: closed_until?.toISOString() ?? null };
}

export function groupTable(head: string, groups: readonly QueueGroup[], empty: string): Lines {
  const lines = groups.map(({ key, due, held, waiting, oldest_at, next_at }) => [
    key,
    ...[due, held, waiting].map(String),
    oldest_at.toISOString(),
    next_at.toISOString(),
  ]);
  return table([head, 'DUE', 'HELD', 'WAITING', 'OLDEST', 'NEXT'], lines, empty);
}

/** An answer for machines and for people. */
export interface Shown {
  answer: object;
  text: Lines;
}

export function messageAnswer(shown: Awaited<ReturnType<typeof showMessage>>): Shown {
  const { message, why } = shown;
  const { queue, created_at, send_at, since, ...rest } = message;
  const answer = {
    ...rest,
    created_at: created_at.toISOString(),
    send_at: send_at?.toISOString() ?? null,
    since: since.toISOString(),
    queue: queue && {
      ...queue,
      due_at: queue.due_at.toISOString(),
      leased_until: queue.leased_until?.toISOString() ?? null,
      expires_at: queue.expires_at.toISOString(),
    },
    tenant_pause: shown.tenantPause && presentPause(shown.tenantPause),
    destination_pause: shown.destinationPause && presentPause(shown.destinationPause),
    windows: shown.windows.map(presentWindow),
    due_before: shown.dueBefore,
    why,
  };
  const head = facts([
    ['message', message.message_id],
    ['to', message.recipient],
    ['account', `${message.tenant_name} (${message.tenant_id})`],
    ['accepted', created_at.toISOString()],
    ['status', `${message.status} since ${since.toISOString()}`],
  ]);
  return { answer, text: [head, '', why] };
}

export function destinationAnswer(shown: Awaited<ReturnType<typeof showDestination>>): Shown {
  const windows = shown.windows.map(presentWindow);
  const answer = {
    destination: shown.destination,
    ...presentShown(shown),
    windows,
    tenants: shown.tenants.map(presentGroup),
  };
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
    shown.tenants.length === 0 ? [] : ['', groupTable('ACCOUNT', shown.tenants, '')],
  ];
  return { answer, text: text.flat() };
}

export function tenantAnswer(shown: Awaited<ReturnType<typeof showTenant>>): Shown {
  const answer = {
    tenant_id: shown.tenantId,
    name: shown.name,
    ...presentShown(shown),
    destinations: shown.destinations.map(presentGroup),
  };
  const text: Lines[][] = [
    shownText(shown),
    shown.destinations.length === 0 ? [] : ['', groupTable('DESTINATION', shown.destinations, '')],
  ];
  return { answer, text: text.flat() };
}

function presentShown({ queue, pause, lastReplies }: ShownGroup) {
  return { queue: presentGroup(queue), pause: pause && presentPause(pause), last_replies: lastReplies };
}

function shownText({ queue, pause, lastReplies }: ShownGroup): Lines[] {
  const state = facts([
    [
      'paused',
      pause === null ? 'no' : `since ${pause.paused_at.toISOString()} by ${pause.paused_by}: ${pause.reason}`,
    ],
    ['due', queue?.due ?? 0],
    ['held', queue?.held ?? 0],
    ['waiting', queue?.waiting ?? 0],
    ['oldest', queue?.oldest_at.toISOString() ?? null],
    ['next', queue?.next_at.toISOString() ?? null],
  ]);
  if (lastReplies.length === 0) return [state];
  const lines = lastReplies.map(({ count, code, text }) => [String(count), String(code ?? '-'), text]);
  return [state, '', table(['MESSAGES', 'CODE', 'LAST REPLY'], lines, '')];
}
