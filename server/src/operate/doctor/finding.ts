/** What a look at an installation found, and what to do about it. Pure. */

/**
 * ok; advice: works, could be better; warning: will hurt later or in some cases; problem: mail, evidence or
 * data suffer now; unknown: could not be looked at.
 */
export type FindingStatus = 'ok' | 'advice' | 'warning' | 'problem' | 'unknown';

/** A record to publish as it is; `value` of a TXT record without its quotes. */
export interface DnsRecord {
  readonly name: string;
  readonly type: 'A' | 'AAAA' | 'CNAME' | 'PTR' | 'TXT';
  readonly value: string;
}

export interface Finding {
  /** Dotted, for machines: `dns.spf`. */
  readonly check: string;
  /** The host, domain, address, file or setting that was looked at. */
  readonly about: string;
  readonly status: FindingStatus;
  /** What was found, in a sentence. */
  readonly detail: string;
  /** What repairs it; null where nothing has to be done. */
  readonly fix: string | null;
  /** The record to publish, where the fix is one. */
  readonly record: DnsRecord | null;
}

export function ok(check: string, about: string, detail: string): Finding {
  return { check, about, status: 'ok', detail, fix: null, record: null };
}

/** Something to repair, or a look that failed, with the fix in a sentence. */
export function fault(
  status: Exclude<FindingStatus, 'ok'>,
  [check, about]: readonly [string, string],
  detail: string,
  fix: string,
): Finding {
  return { check, about, status, detail, fix, record: null };
}

/** Something that a DNS record repairs. `how`: what to do with it, unless it is to publish it. */
export function faultOfRecord(
  status: Exclude<FindingStatus, 'ok'>,
  [check, about]: readonly [string, string],
  detail: string,
  record: DnsRecord,
  how = 'publish',
): Finding {
  return { check, about, status, detail, fix: `${how}: ${zoneLine(record)}`, record };
}

/** As in a zone file. */
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
