import { logKeysOf, presentKeys } from './log/published-keys.ts';
import type { SealingStatus } from './status.ts';

const MICROS_PER_CENT = 1_000_000;

export function isMonth(text: string): boolean {
  return /^\d{4}-(0[1-9]|1[0-2])$/.test(text);
}

export function centsOf(micros: number): number {
  return micros / MICROS_PER_CENT;
}

const iso = (time: Date | null) => time?.toISOString() ?? null;

export function presentSealing({ logs, authorities, cover, month, costs }: SealingStatus) {
  return {
    logs: logs.map((log) => ({
      origin: log.origin,
      keys: presentKeys(logKeysOf(log)),
      leaves: log.leaves,
      ended_at: iso(log.endedAt),
      stop:
        log.stop === null
          ? null
          : {
              at: log.stop.at.toISOString(),
              witness: log.stop.witness,
              witness_note: log.stop.note,
              own_note: log.stop.ownNote,
            },
      pending_leaves: log.pendingLeaves,
      unsealed_leaves: log.unsealedLeaves,
      unstamped: log.unstamped,
      oldest_unstamped_at: iso(log.oldestUnstampedAt),
      attempts: log.attempts,
      next_attempt_at: iso(log.nextAttemptAt),
      last_error: log.lastError,
    })),
    authorities: authorities.map((authority) => ({
      name: authority.name,
      failures: authority.failures,
      paused_until: iso(authority.pausedUntil),
      last_error: authority.lastError,
      failed_at: iso(authority.failedAt),
      sealed_at: iso(authority.sealedAt),
      chain_not_after: iso(authority.chainNotAfter),
      ends_soon: authority.endsSoon,
    })),
    constancias: {
      count: cover.constancias,
      renewals: cover.renewals,
      first_end: iso(cover.firstEnd),
      due: cover.due,
      lapsed: cover.lapsed,
    },
    costs: {
      month,
      items: costs.map((cost) => ({
        tenant_id: cost.tenantId,
        kind: cost.kind,
        authority: cost.authority,
        items: cost.items,
        cost_cents: centsOf(cost.costMicros),
      })),
    },
  };
}
