import { zoneValue } from '@acuse/mail/zone/line';

/** A finding and its fix. Pure. */

/**
 * ok; advice: could be better; warning: will hurt later or sometimes; problem: hurts now; unknown: could not
 * be checked.
 */
export type FindingStatus = 'ok' | 'advice' | 'warning' | 'problem' | 'unknown';

export interface DnsRecord {
  readonly name: string;
  readonly type: 'A' | 'AAAA' | 'CNAME' | 'PTR' | 'TXT';
  readonly value: string;
}

export interface Finding {
  readonly check: string;
  readonly about: string;
  readonly status: FindingStatus;
  readonly detail: string;
  readonly fix: string | null;
  readonly record: DnsRecord | null;
}

export function ok(check: string, about: string, detail: string): Finding {
  return { check, about, status: 'ok', detail, fix: null, record: null };
}

export function fault(
  status: Exclude<FindingStatus, 'ok'>,
  [check, about]: readonly [string, string],
  detail: string,
  fix: string,
): Finding {
  return { check, about, status, detail, fix, record: null };
}

/** `how` defaults to publishing it. */
export function faultOfRecord(
  status: Exclude<FindingStatus, 'ok'>,
  [check, about]: readonly [string, string],
  detail: string,
  record: DnsRecord,
  how = 'publish',
): Finding {
  return { check, about, status, detail, fix: `${how}: ${shownRecord(record)}`, record };
}

/** As people read it in a sentence: without class and time to live. */
export function shownRecord(record: DnsRecord): string {
  return `${record.name}. ${record.type} ${zoneValue(record)}`;
}
