import type { CheckedRecord } from './records.ts';

/** failing: verified before, records missing, mail is refused. */
export type DomainStatus = 'pending' | 'verified' | 'failing';

export interface Standing {
  status: DomainStatus;
  verifiedAt: Date | null;
  graceUntil: Date | null;
  checkDueAt: Date | null;
}

const HOUR_MS = 3_600_000;
export const RECHECK_MS = 24 * HOUR_MS;
export const GRACE_MS = 24 * HOUR_MS;
export const RECHECK_SOON_MS = HOUR_MS;

/** Only certain answers change the state. A vouched domain stays. */
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

/** The records are right, but another tenant holds the name. */
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

/** Checked soon, so that new keys sign early; never for vouched domains. Changes `standing`. */
export function lookAgainSoon(standing: Standing, at: Date): void {
  const soon = after(at, RECHECK_SOON_MS);
  if (standing.checkDueAt !== null && standing.checkDueAt > soon) standing.checkDueAt = soon;
}

function after(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms);
}
