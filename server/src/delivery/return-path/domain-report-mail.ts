import {
  authenticateReport,
  organisation,
  type ReportAuthentication,
} from '@acuse/mail/authentication/vouch';
import { addressOfField } from '@acuse/mail/report/addresses';
import { parseMime } from '@acuse/mail/report/lenient-mime';
import { domainOfReturnPath } from '../../accounts/domains/records.ts';
import { isPlausible, keepDomainReport } from '../../accounts/domains/reports.ts';
import { readerOf } from './large-mail.ts';
import { peerOf } from './mail-facts.ts';
import type { MailToRole, RoleMailDeps } from './role-mail.ts';
import type { RoleMailProblem } from './role-mail-store.ts';

/**
 * Mail to dmarc@ and tlsrpt@: a report is kept with its domain if DKIM or SPF proves its sender. No mail is
 * read before its sender is proven. Null: kept; else why not.
 */
export async function takeDomainReport(
  deps: RoleMailDeps,
  mail: Omit<MailToRole, 'role'>,
): Promise<RoleMailProblem | null> {
  const reporter = await reporterOf(deps, mail);
  if (reporter === null) return 'sender_not_proven';
  const named = domainOfReturnPath(
    mail.forwardPath.slice(mail.forwardPath.lastIndexOf('@') + 1).toLowerCase(),
  );
  const read = await readerOf(deps.threads ?? null, mail).readDomainReports();
  const reports = read.filter((report) => isPlausible(report, deps.clock.now()));
  let kept = 0;
  for (const report of reports) if (await keepDomainReport(deps, report, { reporter, named })) kept += 1;
  if (kept > 0) return null;
  return reports.length === 0 ? 'not_a_report' : 'not_our_domain';
}

const HEADER_BYTES = 65_536;

/** The registered domain in From, if DKIM or SPF speaks for it. RFC 7489 §7.2.1.1 */
async function reporterOf(deps: RoleMailDeps, mail: Omit<MailToRole, 'role'>): Promise<string | null> {
  const { headers } = parseMime(mail.raw.subarray(0, HEADER_BYTES));
  const from = addressOfField(headers.get('from') ?? '');
  if (from === null) return null;
  const domain = from.slice(from.lastIndexOf('@') + 1).toLowerCase();
  const reporter = organisation(domain);
  if (reporter === null) return null;
  const told = await authenticateReport(
    deps.resolver,
    { raw: mail.raw, reversePath: mail.reversePath, peer: peerOf(mail) },
    { handedTo: [], recipientDomain: domain },
    deps.clock.now(),
    readerOf(deps.threads ?? null, mail).heldSignatures,
  );
  return isProven(told, reporter) ? reporter : null;
}

function isProven({ dkim, spf }: ReportAuthentication, reporter: string): boolean {
  if (dkim.result === 'pass' && dkim.domains.some((name) => organisation(name) === reporter)) return true;
  return spf.result === 'pass' && spf.domain !== null && organisation(spf.domain) === reporter;
}
