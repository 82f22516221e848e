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
  return { check, about, status, detail, fix: `${how}: ${zoneLine(record)}`, record };
}

export function zoneLine({ name, type, value }: DnsRecord): string {
  const shown = type === 'TXT' ? quoted(value) : type === 'CNAME' || type === 'PTR' ? `${value}.` : value;
  return `${name}. ${type} ${shown}`;
}

/** A string of a TXT record holds this many bytes. RFC 1035 §3.3 */
const TXT_STRING_MAX = 255;

function quoted(value: string): string {
  const strings = value.match(new RegExp(`.{1,${TXT_STRING_MAX}}`, 'gs')) ?? [''];
  return strings.map((text) => `"${text}"`).join(' ');
}
