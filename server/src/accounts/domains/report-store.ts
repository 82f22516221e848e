import type { DmarcPolicy } from '@acuse/mail/report/dmarc-report';
import type { Tx } from '../../platform/database/db.ts';

/** Aggregate reports about a domain: DMARC and TLS. */

export interface DmarcSourceFacts {
  readonly ip: string;
  readonly messages: number;
  readonly disposition: DmarcPolicy;
  readonly dkim: boolean;
  readonly spf: boolean;
  readonly from: string;
  readonly selectors: readonly string[];
}

interface TlsFailureFacts {
  readonly host: string | null;
  readonly result: string;
  readonly sessions: number;
}

export interface DomainReportRow {
  readonly kind: 'dmarc' | 'tls';
  readonly reporter: string;
  readonly beginsAt: Date;
  readonly endsAt: Date;
  readonly policy: DmarcPolicy | null;
  readonly total: number;
  readonly passed: number;
  readonly facts: {
    readonly sources?: readonly DmarcSourceFacts[];
    readonly failures?: readonly TlsFailureFacts[];
  };
}

interface NewDomainReport extends DomainReportRow {
  readonly domainReportId: string;
  readonly keySha256: Uint8Array;
  readonly receivedAt: Date;
}

const REPORTS_KEPT_DAYS = 400;
/** Per domain: a report a day from some dozen receivers. Beyond it, whoever has most loses its oldest. */
const KEPT_MAX = 10_000;
/** Reports a day per reporter and domain. RFC 7489 §7.2 has one; some send one for each of their hosts. */
const REPORTER_MAX_A_DAY = 200;
/** Looked at for one answer. */
const READ_MAX = 2_000;
/** Sources, or failures, of one report: the largest. */
export const FACTS_MAX = 100;

/** False: it is there already, or its reporter sends too many. */
export async function insertDomainReport(
  tx: Tx,
  tenantId: string,
  domainId: string,
  report: NewDomainReport,
): Promise<boolean> {
  const inserted = await tx.execute(
    `insert into domain_reports (tenant_id, domain_report_id, domain_id, kind, reporter, begins_at, ends_at,
       policy, total, passed, facts, key_sha256, received_at)
     select $1::uuid, $2::uuid, $3::uuid, $4, $5, $6::timestamptz, $7::timestamptz, $8,
       $9::bigint, $10::bigint, $11::jsonb, $12::bytea, $13::timestamptz
      where (select count(*) from domain_reports
              where tenant_id = $1 and domain_id = $3 and reporter = $5
                and received_at > $13::timestamptz - interval '1 day') < ${REPORTER_MAX_A_DAY}
         on conflict (tenant_id, domain_id, key_sha256) do nothing`,
    [
      ...[tenantId, report.domainReportId, domainId, report.kind, report.reporter],
      ...[report.beginsAt.toISOString(), report.endsAt.toISOString(), report.policy],
      ...[report.total, report.passed, JSON.stringify(report.facts)],
      ...[Buffer.from(report.keySha256), report.receivedAt.toISOString()],
    ],
  );
  await tx.execute(
    `delete from domain_reports
      where tenant_id = $1 and domain_id = $2
        and (received_at < $3::timestamptz - interval '${REPORTS_KEPT_DAYS} days'
          or domain_report_id in (select domain_report_id
               from (select domain_report_id, row_number() over (partition by reporter
                              order by domain_report_id desc) as turn
                       from domain_reports where tenant_id = $1 and domain_id = $2) own
              order by turn, domain_report_id desc offset ${KEPT_MAX}))`,
    [tenantId, domainId, report.receivedAt.toISOString()],
  );
  return inserted === 1;
}

/**
 * The latest report of each reporter, then the second latest, and so on, so that nobody's many hide
 * another's. Added up in SQL, so that memory is bounded whatever the reports hold.
 */
const CHOSEN = `with chosen as (
       select kind, reporter, begins_at, ends_at, policy, total, passed, facts
         from (select *, row_number() over (partition by kind, reporter
                       order by ends_at desc, domain_report_id desc) as turn
                 from domain_reports
                where tenant_id = $1 and domain_id = $2 and ends_at >= $3 and ends_at <= $4) own
        order by turn, ends_at desc, domain_report_id desc limit ${READ_MAX})`;

export interface ReportWindow {
  readonly tenantId: string;
  readonly domainId: string;
  readonly since: Date;
  readonly until: Date;
}

const paramsOf = ({ tenantId, domainId, since, until }: ReportWindow) => [
  ...[tenantId, domainId, since.toISOString(), until.toISOString()],
];

export interface ReportTotals {
  readonly reports: number;
  readonly reporters: string[];
  readonly total: number;
  readonly passed: number;
  /** As most reporters found it. */
  readonly policy: DmarcPolicy | null;
  /** The median of the reporters that count, by the share that failed; null: fewer than two. */
  readonly middle: { readonly total: number; readonly passed: number } | null;
}

/**
 * A reporter counts from so much mail on, in two reports or more, over so many days: a single report does not
 * count, and in less mail one forwarded message weighs too much.
 */
const SAY_MIN_MESSAGES = 50;
const SAY_MIN_REPORTS = 2;
const SAY_MIN_DAYS = 7;

export async function sumReports(
  tx: Tx,
  window: ReportWindow,
  kind: 'dmarc' | 'tls',
  shown: number,
): Promise<ReportTotals> {
  const [row] = await tx.query<ReportTotals>(
    `${CHOSEN}, say as (
       select sum(total) as total, sum(passed) as passed,
         row_number() over (order by sum(passed) / sum(total) desc) as place, count(*) over () as of
         from chosen where kind = $5
        group by reporter
       having sum(total) >= ${SAY_MIN_MESSAGES} and count(*) >= ${SAY_MIN_REPORTS}
          and max(ends_at) - min(begins_at) >= interval '${SAY_MIN_DAYS} days')
     select count(*)::integer as reports,
       coalesce((array_agg(distinct reporter))[1:$6::integer], '{}') as reporters,
       coalesce(sum(total), 0)::float8 as total, coalesce(sum(passed), 0)::float8 as passed,
       (select policy from chosen where kind = $5 and policy is not null
         group by policy order by count(distinct reporter) desc, max(ends_at) desc limit 1) as policy,
       (select jsonb_build_object('total', total, 'passed', passed)
          from say where of >= 2 and place = of / 2 + 1) as middle
       from chosen where kind = $5`,
    [...paramsOf(window), kind, shown],
    'domains_sum_reports',
  );
  return row!;
}

export interface DmarcSourceRow {
  readonly source_ip: string;
  readonly signed_here: boolean;
  readonly messages: number;
  readonly aligned: number;
  readonly dkim_aligned: number;
  readonly spf_aligned: number;
  readonly quarantined: number;
  readonly rejected: number;
  readonly header_from: string[];
  readonly reporters: string[];
}

/** The most mail first. Each reporter's largest, in turns: none hides another's. */
export function sumDmarcSources(
  tx: Tx,
  window: ReportWindow,
  selectors: readonly string[],
  shown: number,
): Promise<DmarcSourceRow[]> {
  return tx.query<DmarcSourceRow>(
    `${CHOSEN}, sources as (
       select reporter, source ->> 'ip' as ip, (source ->> 'messages')::float8 as messages,
         (source ->> 'dkim')::boolean as dkim, (source ->> 'spf')::boolean as spf,
         source ->> 'disposition' as disposition, source ->> 'from' as header_from,
         exists (select 1 from jsonb_array_elements_text($5::jsonb) own where source -> 'selectors' ? own) as own
         from chosen cross join lateral
           (select source from jsonb_array_elements(facts -> 'sources') source limit ${FACTS_MAX}) s
        where kind = 'dmarc'),
     turns as (
       select ip, min(turn) as turn
         from (select ip, row_number() over (partition by reporter order by sum(messages) desc, ip) as turn
                 from sources group by reporter, ip) own
        group by ip),
     summed as (
       select ip as source_ip, bool_or(own) as signed_here, sum(messages) as messages,
         coalesce(sum(messages) filter (where dkim or spf), 0) as aligned,
         coalesce(sum(messages) filter (where dkim), 0) as dkim_aligned,
         coalesce(sum(messages) filter (where spf), 0) as spf_aligned,
         coalesce(sum(messages) filter (where disposition = 'quarantine'), 0) as quarantined,
         coalesce(sum(messages) filter (where disposition = 'reject'), 0) as rejected,
         (array_agg(distinct header_from))[1:$6::integer] as header_from,
         (array_agg(distinct reporter))[1:$6::integer] as reporters
         from sources group by ip)
     select source_ip, signed_here, messages, aligned, dkim_aligned, spf_aligned, quarantined, rejected,
       header_from, reporters
       from (select summed.*
               from summed join turns on ip = source_ip
              order by turn, messages desc, ip limit $6) shown
      order by messages desc, source_ip`,
    [...paramsOf(window), JSON.stringify(selectors), shown],
    'domains_sum_dmarc_sources',
  );
}

export interface TlsFailureRow {
  readonly host: string | null;
  readonly result: string;
  readonly sessions: number;
  readonly reporters: string[];
}

/** The most sessions first, chosen in the same turns. */
export function sumTlsFailures(tx: Tx, window: ReportWindow, shown: number): Promise<TlsFailureRow[]> {
  return tx.query<TlsFailureRow>(
    `${CHOSEN}, failures as (
       select reporter, failure ->> 'host' as host, failure ->> 'result' as result,
         (failure ->> 'sessions')::float8 as sessions
         from chosen cross join lateral
           (select failure from jsonb_array_elements(facts -> 'failures') failure limit ${FACTS_MAX}) f
        where kind = 'tls'),
     turned as (
       select reporter, host, result, sum(sessions) as sessions,
         row_number() over (partition by reporter order by sum(sessions) desc, host, result) as turn
         from failures group by reporter, host, result)
     select host, result, sessions, reporters
       from (select host, result, sum(sessions) as sessions,
               (array_agg(distinct reporter))[1:$5::integer] as reporters
               from turned group by host, result
              order by min(turn), sum(sessions) desc, host, result limit $5) shown
      order by sessions desc, host, result`,
    [...paramsOf(window), shown],
    'domains_sum_tls_failures',
  );
}
