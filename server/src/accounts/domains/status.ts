import type { CheckedRecord } from './records.ts';

/**
 * pending: never verified; verified: mail may be sent; failing: was verified, its records are missing, mail
 * is refused.
 */
export type DomainStatus = 'pending' | 'verified' | 'failing';

export interface Standing {
  status: DomainStatus;
  verifiedAt: Date | null;
  /** Set when a verified domain is first found broken; past it the domain is failing. */
  graceUntil: Date | null;
  /** When it is looked up again automatically; null: never. */
  checkDueAt: Date | null;
}

const HOUR_MS = 3_600_000;
/** A verified or failing domain is looked up this often. */
export const RECHECK_MS = 24 * HOUR_MS;
/** How long a verified domain may be broken before its mail is refused. */
export const GRACE_MS = 24 * HOUR_MS;
/** How soon to look again when a record is missing or a resolver failed. */
export const RECHECK_SOON_MS = HOUR_MS;

/**
 * The state of a domain after a look-up. Only certain answers move it: a resolver that fails neither verifies
 * a domain nor brings it down. One that the operator vouched for (verified, never due) stays.
 */
export function decideStanding(now: Standing, records: readonly CheckedRecord[], at: Date): Standing {
  const required = records.filter((record) => record.required);
  if (required.every((record) => record.status === 'found')) {
    const vouched = now.status === 'verified' && now.checkDueAt === null;
    return {
      status: 'verified',
      verifiedAt: now.status === 'verified' ? now.verifiedAt : at,
      graceUntil: null,
      checkDueAt: vouched ? null : after(at, RECHECK_MS),
    };
  }
  const broken = required.some((record) => record.status === 'missing' || record.status === 'mismatch');
  switch (now.status) {
    case 'pending':
      return now;
    case 'failing':
      return { ...now, checkDueAt: after(at, RECHECK_MS) };
    case 'verified':
      return now.checkDueAt === null ? now : decideGrace(now, broken, at);
  }
}

/** The state of a domain whose records are right but whose name another tenant holds: unchanged. */
export function stayUnverified(now: Standing, at: Date): Standing {
  return { ...now, checkDueAt: now.checkDueAt && after(at, RECHECK_MS) };
}

function decideGrace(now: Standing, broken: boolean, at: Date): Standing {
  if (!broken) return { ...now, checkDueAt: after(at, RECHECK_SOON_MS) };
  const graceUntil = now.graceUntil ?? after(at, GRACE_MS);
  if (at >= graceUntil)
    return { ...now, status: 'failing', graceUntil: null, checkDueAt: after(at, RECHECK_MS) };
  return { ...now, graceUntil, checkDueAt: after(at, RECHECK_SOON_MS) };
}

/**
 * Of a domain whose mail cannot be checked, so that a key signs soon after its record is published; not where
 * it is never looked up. Changes `standing`.
 */
export function lookAgainSoon(standing: Standing, at: Date): void {
  const soon = after(at, RECHECK_SOON_MS);
  if (standing.checkDueAt !== null && standing.checkDueAt > soon) standing.checkDueAt = soon;
}

function after(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms);
}
