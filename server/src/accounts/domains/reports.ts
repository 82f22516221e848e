import type { DmarcPolicy, DmarcReport, DmarcRow } from '@acuse/mail/report/dmarc-report';
import type { DomainReport } from '@acuse/mail/report/domain-reports';
import type { DbAndClock, Tx } from '../../platform/database/db.ts';
import { requireById } from '../../platform/http/own-rows.ts';
import { newId } from '../../platform/ids.ts';
import { sha256 } from '../../platform/sha256.ts';
import {
  type DmarcSourceFacts,
  type DomainReportRow,
  FACTS_MAX,
  insertDomainReport,
  type ReportTotals,
  type ReportWindow,
  sumDmarcSources,
  sumReports,
  sumTlsFailures,
} from './report-store.ts';
import { findDomain, findDomainByName, findNameOwner } from './store.ts';

/** Reports of others about a domain: kept as they come, and added up when somebody asks. */

const SHOWN_MAX = 100;
const DAY_MS = 86_400_000;

/**
 * Keeps a report whose sender is proven. `named`: the domain of the bounce host that received it. False:
 * nobody here has the domain.
 */
export async function keepDomainReport(
  { db, clock }: DbAndClock,
  report: DomainReport,
  { reporter, named }: { readonly reporter: string; readonly named: string | null },
): Promise<boolean> {
  const names = [report.domain, ...(named !== null && isWithin(named, report.domain) ? [named] : [])];
  for (const name of names) {
    const tenantId = await findNameOwner(db, name);
    if (tenantId === null) continue;
    const receivedAt = clock.now();
    const key = JSON.stringify([report.kind, reporter, report.domain, report.reportId]);
    return db.asTenant(tenantId, async (tx) => {
      const domain = await findDomainByName(tx, tenantId, name);
      if (domain === null) return false;
      await insertDomainReport(tx, tenantId, domain.domainId, {
        ...factsOf(report),
        domainReportId: newId(receivedAt.getTime()),
        reporter,
        keySha256: sha256(Buffer.from(key)),
        receivedAt,
      });
      return true;
    });
  }
  return false;
}

const MAX_SPAN_MS = 40 * DAY_MS;
/** Clocks differ, and a report may end with a day that has not ended. */
const AHEAD_MS = DAY_MS;
/** Largest count in a report: a day of mail to the largest receivers. */
const MAX_COUNT = 1_000_000_000;

const latestEnd = (now: Date) => new Date(now.getTime() + AHEAD_MS);

/** Its time is in the past, and its counts are possible. */
export function isPlausible(report: DomainReport, now: Date): boolean {
  const [begin, end] = [report.begin.getTime(), report.end.getTime()];
  const { total } = factsOf(report);
  return (
    begin > 0 &&
    begin <= end &&
    end - begin <= MAX_SPAN_MS &&
    end <= latestEnd(now).getTime() &&
    total <= MAX_COUNT
  );
}

/** A policy covers the names below it. RFC 7489 §6.6.3 */
function isWithin(name: string, domain: string): boolean {
  return name === domain || name.endsWith(`.${domain}`);
}

function factsOf(report: DomainReport): Omit<DomainReportRow, 'reporter'> {
  const { kind, begin: beginsAt, end: endsAt } = report;
  if (report.kind === 'tls') {
    const { succeeded, failed } = report;
    const failures = [...report.failures]
      .sort((a, b) => b.sessions - a.sessions)
      .slice(0, FACTS_MAX)
      .map(({ host, result, sessions }) => ({ host, result, sessions }));
    return {
      ...{ kind, beginsAt, endsAt, policy: null, total: succeeded + failed, passed: succeeded },
      facts: { failures },
    };
  }
  const { total, passed } = totals(report);
  return {
    kind,
    beginsAt,
    endsAt,
    policy: report.policy,
    total,
    passed,
    facts: { sources: sourcesOf(report) },
  };
}

function totals({ rows }: DmarcReport): { total: number; passed: number } {
  const sum = (some: readonly DmarcRow[]) => some.reduce((count, { messages }) => count + messages, 0);
  return { total: sum(rows), passed: sum(rows.filter((row) => row.dkimAligned || row.spfAligned)) };
}

function sourcesOf({ rows }: DmarcReport): DmarcSourceFacts[] {
  const found = new Map<string, DmarcSourceFacts>();
  for (const row of rows) {
    const { sourceIp: ip, messages, disposition, dkimAligned: dkim, spfAligned: spf, headerFrom: from } = row;
    const key = JSON.stringify([ip, disposition, dkim, spf, from, row.selectors]);
    const before = found.get(key)?.messages ?? 0;
    const { selectors } = row;
    found.set(key, { ip, messages: before + messages, disposition, dkim, spf, from, selectors });
  }
  return [...found.values()].sort((a, b) => b.messages - a.messages).slice(0, FACTS_MAX);
}

function windowOf({ clock }: DbAndClock, days: number) {
  const now = clock.now();
  return { since: new Date(now.getTime() - days * DAY_MS), until: latestEnd(now) };
}

export async function readDomainReports(deps: DbAndClock, tenantId: string, domainId: string, days: number) {
  const { since, until } = windowOf(deps, days);
  return requireById(deps.db, tenantId, domainId, async (tx) => {
    const domain = await findDomain(tx, tenantId, domainId);
    if (domain === null) return null;
    const window = { tenantId, domainId, since, until };
    const selectors = domain.keys.map((key) => key.selector);
    return {
      domain: domain.name,
      since: since.toISOString(),
      dmarc: await dmarcOf(tx, window, selectors),
      tls: await tlsOf(tx, window),
    };
  });
}

async function dmarcOf(tx: Tx, window: ReportWindow, selectors: readonly string[]) {
  const sum = await sumReports(tx, window, 'dmarc', SHOWN_MAX);
  const { reports, reporters, total: messages, passed: aligned, policy } = sum;
  const sources = await sumDmarcSources(tx, window, selectors, SHOWN_MAX);
  return { reports, reporters, messages, aligned, policy, advice: adviceOn(sum), sources };
}

async function tlsOf(tx: Tx, window: ReportWindow) {
  const { reports, total: sessions, passed } = await sumReports(tx, window, 'tls', SHOWN_MAX);
  const failures = await sumTlsFailures(tx, window, SHOWN_MAX);
  return { reports, sessions, failed: sessions - passed, failures };
}

/** Largest failing share of mail with which each policy is advised. */
const QUARANTINE_MAX_FAILING = 0.02;
const REJECT_MAX_FAILING = 0.005;

export interface Advice {
  /** The strictest policy that hardly any mail would suffer from; null: none yet. */
  readonly safe_policy: DmarcPolicy | null;
  readonly reason: 'too_little_mail' | 'unaligned_mail' | 'aligned';
}

/**
 * The policy that the median reporter allows; with an even number, the worse of the middle two. Anybody can
 * report, so each reporter counts once, however much they report, and a single false, forged or extreme
 * report moves the result no further than another reporter's. Pure.
 */
function adviceOn({ middle }: ReportTotals): Advice {
  if (middle === null) return { safe_policy: null, reason: 'too_little_mail' };
  const failing = 1 - middle.passed / middle.total;
  if (failing <= REJECT_MAX_FAILING) return { safe_policy: 'reject', reason: 'aligned' };
  if (failing <= QUARANTINE_MAX_FAILING) return { safe_policy: 'quarantine', reason: 'aligned' };
  return { safe_policy: null, reason: 'unaligned_mail' };
}

/** Figures of the median reporter; null: too few reporters count. */
export function readTypicalReporter(deps: DbAndClock, tenantId: string, domainId: string, days: number) {
  const window = { tenantId, domainId, ...windowOf(deps, days) };
  return deps.db.asTenant(tenantId, async (tx) => (await sumReports(tx, window, 'dmarc', 0)).middle);
}
