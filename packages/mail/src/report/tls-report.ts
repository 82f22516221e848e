/** A sender's report on its TLS sessions with a domain's mail hosts. RFC 8460 §4 */
export interface TlsReport {
  readonly kind: 'tls';
  readonly reportId: string;
  readonly domain: string;
  readonly begin: Date;
  readonly end: Date;
  readonly succeeded: number;
  readonly failed: number;
  readonly failures: readonly TlsFailure[];
}

export interface TlsFailure {
  /** `certificate-expired`, `starttls-not-supported`, …; RFC 8460 §4.3 */
  readonly result: string;
  /** The mail host, if it is named. */
  readonly host: string | null;
  readonly sessions: number;
}

const MAX_POLICIES = 100;
const MAX_FAILURES = 1_000;
const MAX_SESSIONS = 1_000_000_000;
const NAME = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;
const RESULT = /^[a-z0-9-]{1,60}$/;

type Json = Readonly<Record<string, unknown>>;

/** One for each domain that the report has policies of; none if it is not one. */
export function readTlsReports(text: string): TlsReport[] {
  let report: Json;
  try {
    report = objectOf(JSON.parse(text));
  } catch {
    return [];
  }
  const range = objectOf(report['date-range']);
  const begin = timeOf(range['start-datetime']);
  const end = timeOf(range['end-datetime']);
  const reportId = report['report-id'];
  if (begin === null || end === null || end < begin || typeof reportId !== 'string') return [];
  const byDomain = new Map<string, TlsReport>();
  for (const entry of listOf(report['policies']).slice(0, MAX_POLICIES).map(objectOf)) {
    const domain = nameOf(objectOf(entry['policy'])['policy-domain']);
    if (domain === null) continue;
    const summary = objectOf(entry['summary']);
    const before = byDomain.get(domain);
    byDomain.set(domain, {
      kind: 'tls',
      reportId,
      domain,
      begin,
      end,
      succeeded: (before?.succeeded ?? 0) + countOf(summary['total-successful-session-count']),
      failed: (before?.failed ?? 0) + countOf(summary['total-failure-session-count']),
      failures: [...(before?.failures ?? []), ...failuresOf(entry['failure-details'])].slice(0, MAX_FAILURES),
    });
  }
  return [...byDomain.values()];
}

function failuresOf(details: unknown): TlsFailure[] {
  return listOf(details)
    .slice(0, MAX_FAILURES)
    .map(objectOf)
    .flatMap((detail) => {
      const result = String(detail['result-type'] ?? '').toLowerCase();
      if (!RESULT.test(result)) return [];
      const host = nameOf(detail['receiving-mx-hostname']);
      return [{ result, host, sessions: countOf(detail['failed-session-count']) }];
    });
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function countOf(value: unknown): number {
  const count = Number(value);
  return Number.isSafeInteger(count) && count > 0 ? Math.min(count, MAX_SESSIONS) : 0;
}

function nameOf(value: unknown): string | null {
  const name = typeof value === 'string' ? value.toLowerCase().replace(/\.$/, '') : '';
  return NAME.test(name) ? name : null;
}

function timeOf(value: unknown): Date | null {
  const at = typeof value === 'string' ? new Date(value) : new Date(Number.NaN);
  return Number.isNaN(at.getTime()) ? null : at;
}
