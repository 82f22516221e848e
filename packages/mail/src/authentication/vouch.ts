import { BlockList, isIP } from 'node:net';
import type { AuthenticationResult, MailReportFacts, VouchedBy } from '@acuse/evidence/delivery-facts';
import { getDomain } from 'tldts';
import type { MailResolver } from '../routing/resolver.ts';
import { checkDkim, type HeldSignatures } from './dkim-check.ts';
import { checkSpf } from './spf.ts';

/** A mail to the return path, and who delivered it. */
export interface DeliveredReport {
  /** As received, CRLF. */
  readonly raw: Uint8Array;
  /** Empty for <>. */
  readonly reversePath: string;
  readonly peer: { readonly ip: string; readonly helo: string };
}

/**
 * Where the report would have to come from: the servers that took the message, and the recipient's own
 * domain.
 */
export interface ExpectedReporters {
  readonly handedTo: readonly { readonly host: string; readonly address: string }[];
  readonly recipientDomain: string;
}

export type ReportAuthentication = Pick<MailReportFacts, 'dkim' | 'spf'> & { vouched_by: VouchedBy | null };

/**
 * A peer in the network of the server that took the message, as providers number their hosts: IPv4 /24, IPv6
 * /48.
 */
const IPV4_NETWORK_BITS = 24;
const IPV6_NETWORK_BITS = 48;
/**
 * For all DNS queries together; the reporting host waits after its final dot (RFC 5321 §4.5.3.2.6: ten
 * minutes).
 */
const LOOKUPS_MS = 20_000;

/**
 * Says what speaks for a report: DKIM and SPF, and whether something ties it to the servers that had the
 * message. A report is vouched for only if its reverse-path is null, as that of every report must be (RFC
 * 3464 §2): users of a large provider cannot write one through it. `resolver` null: nothing is looked up.
 */
export async function authenticateReport(
  resolver: MailResolver | null,
  report: DeliveredReport,
  expected: ExpectedReporters,
  now: Date,
  held?: HeldSignatures,
): Promise<ReportAuthentication> {
  const byNetwork = expected.handedTo.some(({ address }) => isSameNetwork(report.peer.ip, address));
  const domain = spfDomain(report);
  const unknown = (result: AuthenticationResult): Told => ({
    dkim: { domains: [], result },
    spf: { domain, result },
    byName: null,
  });
  const told =
    resolver === null
      ? unknown('not_checked')
      : await within(LOOKUPS_MS, lookUp(resolver, report, expected, { now, held }), unknown('temperror'));
  const { byName, ...results } = told;
  const vouched = report.reversePath === '' ? (byNetwork ? 'network' : byName) : null;
  return { ...results, vouched_by: vouched };
}

type Told = Pick<MailReportFacts, 'dkim' | 'spf'> & { byName: VouchedBy | null };

async function lookUp(
  resolver: MailResolver,
  report: DeliveredReport,
  expected: ExpectedReporters,
  { now, held }: { now: Date; held: HeldSignatures | undefined },
): Promise<Told> {
  const { ip, helo } = report.peer;
  const { reversePath, raw } = report;
  const domain = spfDomain(report);
  const sender = reversePath === '' ? `postmaster@${helo}` : reversePath;
  const [dkim, spf, isNamed, isListed] = await Promise.all([
    checkDkim(resolver, raw, now, { held }),
    domain === null ? ('none' as const) : checkSpf(resolver, domain, { ip, sender, helo }),
    isOwnName(resolver, helo, ip),
    // The recipient's domain itself says that this host sends for it.
    checkSpf(resolver, expected.recipientDomain, {
      ip,
      sender: `postmaster@${expected.recipientDomain}`,
      helo,
    }),
  ]);
  const ours = [expected.recipientDomain, ...expected.handedTo.map(({ host }) => host)].flatMap(
    (name) => organisation(name) ?? [],
  );
  const isExpected = (name: string) => ours.includes(organisation(name) ?? '');
  let byName: VouchedBy | null = null;
  if (dkim.domains.some(isExpected)) byName = 'dkim';
  else if (isListed === 'pass') byName = 'spf';
  else if (isExpected(helo) && (isNamed || (reversePath === '' && spf === 'pass'))) byName = 'helo';
  return { dkim: { domains: [...dkim.domains], result: dkim.result }, spf: { domain, result: spf }, byName };
}

/** With a null reverse-path the HELO name represents the sender. RFC 7208 §2.4 */
function spfDomain({ reversePath, peer }: DeliveredReport): string | null {
  const domain = reversePath === '' ? peer.helo : reversePath.slice(reversePath.lastIndexOf('@') + 1);
  return isName(domain) ? domain.toLowerCase() : null;
}

/** True if the name that the peer gave itself leads back to its address. */
async function isOwnName(resolver: MailResolver, helo: string, ip: string): Promise<boolean> {
  if (!isName(helo)) return false;
  const answer = await resolver.lookup(helo, isIP(ip) === 6 ? 'AAAA' : 'A');
  return answer.kind === 'found' && answer.records.some((address) => isSame(address, ip));
}

function isName(text: string): boolean {
  return /^(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})+$/i.test(text) && isIP(text) === 0;
}

/** The registered domain, by the public suffix list; null for a name without one. */
export function organisation(name: string): string | null {
  return getDomain(name.toLowerCase(), { allowPrivateDomains: true });
}

function isSame(a: string, b: string): boolean {
  return isWithin(a, b, isIP(b) === 6 ? 128 : 32);
}

function isSameNetwork(a: string, b: string): boolean {
  return isWithin(a, b, isIP(b) === 6 ? IPV6_NETWORK_BITS : IPV4_NETWORK_BITS);
}

function isWithin(ip: string, address: string, bits: number): boolean {
  const family = isIP(address);
  if (family === 0 || isIP(ip) !== family) return false;
  const list = new BlockList();
  list.addSubnet(address, bits, family === 6 ? 'ipv6' : 'ipv4');
  return list.check(ip, family === 6 ? 'ipv6' : 'ipv4');
}

async function within<T>(ms: number, work: Promise<T>, otherwise: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
