import { deferralOf } from '../../messages/bounce.ts';
import { shippedNotes } from '../next-hop/shipped-notes.ts';
import type { DestinationNote } from './note-store.ts';
import type { Pause } from './pause-store.ts';
import type {
  ListedQueue,
  Pausable,
  ShownDestination,
  ShownGroup,
  ShownMessage,
  ShownTenant,
} from './queue.ts';
import { hasMore, type QueueGroup, type QueueKey, type SeenWindow } from './queue-store.ts';

/** The queue as `acuse queue --json` and `/v1/admin` show it. */

function presentPause({ reason, paused_by, paused_at }: Pause) {
  return { reason, paused_by, paused_at: paused_at.toISOString() };
}

function presentGroup(group: QueueGroup) {
  const { oldest_at, next_at, ...counts } = group;
  return { ...counts, oldest_at: oldest_at.toISOString(), next_at: next_at.toISOString() };
}

function presentWindow({ closed_until, ...window }: SeenWindow) {
  return { ...window, closed_until: closed_until?.toISOString() ?? null };
}

function presentShown({ queue, pause, lastReplies, reasons }: ShownGroup) {
  return {
    queue: queue && presentGroup(queue),
    more: hasMore(queue),
    pause: pause && presentPause(pause),
    last_replies: [...lastReplies],
    deferral_reasons: sharesOf(reasons),
  };
}

function sharesOf(reasons: ShownGroup['reasons']) {
  const all = reasons.reduce((sum, { count }) => sum + count, 0);
  return reasons.map(({ reason, count }) => ({ reason, messages: count, share: count / all }));
}

export function presentQueued(shown: ShownMessage) {
  const { message, why } = shown;
  const { queue, created_at, send_at, since, unknown_since: _, bounce_reason: __, ...rest } = message;
  return {
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
    deferral: deferralOf(message.status, message.bounce_reason, message.last_reply),
    why: [...why],
  };
}

export function presentDestination(shown: ShownDestination) {
  return {
    destination: shown.destination,
    ...presentShown(shown),
    windows: shown.windows.map(presentWindow),
    notes: shown.notes.map(presentNote),
    shipped: shippedNotes(shown.destination),
    tenants: shown.tenants.map(presentGroup),
  };
}

export function presentNote({ noted_at, ends_at, ...note }: DestinationNote) {
  return { ...note, noted_at: noted_at.toISOString(), ends_at: ends_at?.toISOString() ?? null };
}

export function presentTenantQueue(shown: ShownTenant) {
  return {
    tenant_id: shown.tenantId,
    name: shown.name,
    ...presentShown(shown),
    destinations: shown.destinations.map(presentGroup),
  };
}

/** `paused`: by destination or account. */
export function presentQueue(by: QueueKey, { total, groups, destinations, tenants }: ListedQueue) {
  return {
    by,
    total: total && presentGroup(total),
    more: hasMore(total),
    groups: groups.map(presentGroup),
    paused: [
      ...destinations.map(({ destination, ...pause }) => ({ destination, ...presentPause(pause) })),
      ...tenants.map(({ tenant_id, ...pause }) => ({ tenant_id, ...presentPause(pause) })),
    ],
  };
}

export function presentPausable(what: Pausable) {
  return 'destination' in what ? { destination: what.destination } : { tenant_id: what.tenantId };
}
