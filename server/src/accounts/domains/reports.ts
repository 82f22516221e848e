import type { DmarcPolicy, DmarcReport, DmarcRow } from '@acuse/mail/report/dmarc-report';
import type { DomainReport } from '@acuse/mail/report/domain-reports';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/db.ts';
import { requireById } from '../../platform/http/own-rows.ts';
import { newId } from '../../platform/ids.ts';
import { sha256 } from '../../platform/sha256.ts';
import {
  type DmarcSourceFacts,
  type DomainReportRow,
  insertDomainReport,
  listDomainReports,
} from './report-store.ts';
import { findDomain, findDomainByName, findNameOwner } from './store.ts';

/** Reports of others about a domain: kept as they come, and added up when somebody asks. */

interface ReportDeps {
  readonly db: Db;
  readonly clock: Clock;
}

/** Sources, and failures, of one report: the largest. */
const FACTS_MAX = 1_000;
/** Of one answer. */
const SHOWN_MAX = 100;
const DAY_MS = 86_400_000;

/**
 * Keeps a report of a reporter whose mail is proven to be its own. `named`: the domain in whose bounce host
 * the address is that it came to. False: nobody here has the domain.
 */
export async function keepDomainReport(
  { db, clock }: ReportDeps,
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

/** A policy covers the names below it. RFC 7489 §6.6.3 */
function isWithin(name: string, domain: string): boolean {
  return name === domain || name.endsWith(`.${domain}`);
}

function factsOf(report: DomainReport): Omit<DomainReportRow, 'reporter'> {
  const { kind, begin: beginsAt, end: endsAt } = report;
  if (report.kind === 'tls') {
    const { succeeded, failed } = report;
    const failures = report.failures.map(({ host, result, sessions }) => ({ host, result, sessions }));
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

/** Reports about a domain in the last days. Throws not_found. */
export async function readDomainReports(deps: ReportDeps, tenantId: string, domainId: string, days: number) {
  const since = new Date(deps.clock.now().getTime() - days * DAY_MS);
  return requireById(deps.db, tenantId, domainId, async (tx) => {
    const domain = await findDomain(tx, tenantId, domainId);
    if (domain === null) return null;
    const rows = await listDomainReports(tx, tenantId, domainId, since);
    const selectors = new Set(domain.keys.map((key) => key.selector));
    return {
      domain: domain.name,
      since: since.toISOString(),
      dmarc: dmarcOf(
        rows.filter((row) => row.kind === 'dmarc'),
        selectors,
      ),
      tls: tlsOf(rows.filter((row) => row.kind === 'tls')),
    };
  });
}

const sumOf = <T>(items: readonly T[], count: (item: T) => number) =>
  items.reduce((sum, item) => sum + count(item), 0);
const distinct = <T>(items: readonly T[]) => [...new Set(items)];

function dmarcOf(rows: readonly DomainReportRow[], selectors: ReadonlySet<string>) {
  const messages = sumOf(rows, (row) => row.total);
  const aligned = sumOf(rows, (row) => row.passed);
  const policy = rows[0]?.policy ?? null;
  return {
    reports: rows.length,
    reporters: distinct(rows.map((row) => row.reporter)).slice(0, SHOWN_MAX),
    messages,
    aligned,
    policy,
    advice: adviceOn(rows, messages, aligned),
    sources: dmarcSources(rows, selectors),
  };
}

function dmarcSources(rows: readonly DomainReportRow[], selectors: ReadonlySet<string>) {
  const byIp = new Map<string, { reporter: string; facts: DmarcSourceFacts }[]>();
  for (const { reporter, facts } of rows) {
    for (const source of facts.sources ?? []) {
      const known = byIp.get(source.ip);
      if (known === undefined) byIp.set(source.ip, [{ reporter, facts: source }]);
      else known.push({ reporter, facts: source });
    }
  }
  const sources = [...byIp].map(([source_ip, all]) => {
    const count = (which: (facts: DmarcSourceFacts) => boolean) =>
      sumOf(all, ({ facts }) => (which(facts) ? facts.messages : 0));
    return {
      source_ip,
      signed_here: all.some(({ facts }) => facts.selectors.some((selector) => selectors.has(selector))),
      messages: count(() => true),
      aligned: count(({ dkim, spf }) => dkim || spf),
      dkim_aligned: count(({ dkim }) => dkim),
      spf_aligned: count(({ spf }) => spf),
      quarantined: count(({ disposition }) => disposition === 'quarantine'),
      rejected: count(({ disposition }) => disposition === 'reject'),
      header_from: distinct(all.map(({ facts }) => facts.from)).slice(0, SHOWN_MAX),
      reporters: distinct(all.map(({ reporter }) => reporter)).slice(0, SHOWN_MAX),
    };
  });
  return sources.sort((a, b) => b.messages - a.messages).slice(0, SHOWN_MAX);
}

/** Fewer say nothing of a stricter policy. */
const ADVICE_MIN_MESSAGES = 100;
const ADVICE_MIN_DAYS = 7;
/** Shares of all mail that may fail: of what a policy would then put aside, or refuse. */
const QUARANTINE_MAX_FAILING = 0.02;
const REJECT_MAX_FAILING = 0.005;

export interface Advice {
  /** The strictest policy that hardly any mail would suffer from; null: none yet. */
  readonly safe_policy: DmarcPolicy | null;
  readonly reason: 'too_little_mail' | 'unaligned_mail' | 'aligned';
}

/** The policy that the reports allow. Pure. */
function adviceOn(
  rows: readonly Pick<DomainReportRow, 'beginsAt' | 'endsAt'>[],
  messages: number,
  aligned: number,
): Advice {
  const times = rows.flatMap((row) => [row.beginsAt.getTime(), row.endsAt.getTime()]);
  const span = rows.length === 0 ? 0 : Math.max(...times) - Math.min(...times);
  if (messages < ADVICE_MIN_MESSAGES || span < ADVICE_MIN_DAYS * DAY_MS)
    return { safe_policy: null, reason: 'too_little_mail' };
  const failing = (messages - aligned) / messages;
  if (failing <= REJECT_MAX_FAILING) return { safe_policy: 'reject', reason: 'aligned' };
  if (failing <= QUARANTINE_MAX_FAILING) return { safe_policy: 'quarantine', reason: 'aligned' };
  return { safe_policy: null, reason: 'unaligned_mail' };
}

function tlsOf(rows: readonly DomainReportRow[]) {
  const byCause = new Map<
    string,
    { host: string | null; result: string; sessions: number; reporters: string[] }
  >();
  for (const { reporter, facts } of rows) {
    for (const { host, result, sessions } of facts.failures ?? []) {
      const key = JSON.stringify([host, result]);
      const before = byCause.get(key) ?? { host, result, sessions: 0, reporters: [] };
      const reporters = distinct([...before.reporters, reporter]).slice(0, SHOWN_MAX);
      byCause.set(key, { host, result, sessions: before.sessions + sessions, reporters });
    }
  }
  const failures = [...byCause.values()].sort((a, b) => b.sessions - a.sessions).slice(0, SHOWN_MAX);
  const sessions = sumOf(rows, (row) => row.total);
  return {
    reports: rows.length,
    sessions,
    failed: sessions - sumOf(rows, (row) => row.passed),
    failures,
  };
}
