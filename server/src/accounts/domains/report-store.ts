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
/** Of one domain: a report a day of each of some dozen receivers. */
const KEPT_MAX = 10_000;
/** Of one reporter about one domain; RFC 7489 §7.2 has one a day, some send one of each of their hosts. */
const REPORTER_MAX_A_DAY = 200;
/** Looked at for one answer. */
const READ_MAX = 2_000;

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
          or domain_report_id in (select domain_report_id from domain_reports
               where tenant_id = $1 and domain_id = $2 order by domain_report_id desc offset ${KEPT_MAX}))`,
    [tenantId, domainId, report.receivedAt.toISOString()],
  );
  return inserted === 1;
}

/** Those whose time ended since, the latest first. */
export function listDomainReports(
  tx: Tx,
  tenantId: string,
  domainId: string,
  since: Date,
): Promise<DomainReportRow[]> {
  return tx.query<DomainReportRow>(
    `select kind, reporter, begins_at as "beginsAt", ends_at as "endsAt", policy, total::float8 as total,
       passed::float8 as passed, facts
       from domain_reports
      where tenant_id = $1 and domain_id = $2 and ends_at >= $3
      order by ends_at desc, domain_report_id desc limit ${READ_MAX}`,
    [tenantId, domainId, since.toISOString()],
  );
}
