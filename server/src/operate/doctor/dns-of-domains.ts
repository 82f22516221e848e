import { checkSpf } from '@acuse/mail/authentication/spf';
import { judgeReadiness, type ReadinessFacts } from '../../accounts/domains/readiness.ts';
import type { CheckedRecord } from '../../accounts/domains/records.ts';
import { returnPathName, wantedRecords } from '../../accounts/domains/records.ts';
import { type Domain, listDomainsToExamine } from '../../accounts/domains/store.ts';
import type { DoctorDeps, Group } from './examine.ts';
import { type Finding, type FindingStatus, fault, faultOfRecord, ok } from './finding.ts';
import { readSendingHosts } from './sending-hosts.ts';

/** Without --domain. */
const DOMAINS_MAX = 50;

/** As acuse domains verify, and SPF. */
export const dnsOfDomains: Group = async (deps, { domain }) => {
  const { config, db, dns } = deps;
  if (db === null || config.delivery === 'sandbox') return [];
  const domains = await listDomainsToExamine(db, domain, DOMAINS_MAX + 1);
  if (domains.length === 0) {
    const about = domain ?? 'all';
    const detail =
      domain === null ? 'No sending domain is verified.' : `${domain} is not a domain of any account.`;
    const fix = `acuse domains create ${domain ?? '<domain>'}`;
    return [fault(domain === null ? 'advice' : 'problem', ['domain', about], detail, fix)];
  }
  const addresses =
    config.delivery === 'direct'
      ? [...new Set((await readSendingHosts(config, dns.resolver)).flatMap((source) => source.addresses))]
      : [];
  const looked = domains.slice(0, DOMAINS_MAX);
  const findings = await Promise.all(looked.map((one) => examineDomain(one, addresses, deps)));
  if (domains.length > DOMAINS_MAX) findings.push([moreDomains()]);
  return findings.flat();
};

const moreDomains = () =>
  fault(
    'unknown',
    ['domain', 'all'],
    `Only ${DOMAINS_MAX} domains were checked.`,
    'check another with acuse doctor --domain <domain>; the service checks each once a day',
  );

async function examineDomain(
  domain: Domain,
  addresses: readonly string[],
  { config, dns }: DoctorDeps,
): Promise<Finding[]> {
  const records = await dns.domains.check(wantedRecords(domain, domain.keys, config.hostname));
  const findings = records.map((record) => judgeRecord({ ...domain, records }, record));
  const returnPath = records.find(({ purpose }) => purpose === 'return_path');
  if (returnPath?.status !== 'found') return findings;
  return [...findings, ...(await checkAligned(domain.name, addresses, dns))];
}

function judgeRecord(domain: ReadinessFacts, record: CheckedRecord): Finding {
  const { purpose, name, type, value, status, found } = record;
  const place = [`domain.${purpose}`, name] as const;
  if (status === 'found') return ok(...place, 'Published.');
  if (status === 'error' || status === 'unchecked')
    return fault(
      'unknown',
      place,
      `Look-up failed: ${found.join(', ')}`,
      'run acuse doctor again in a few minutes',
    );
  const level = gravityOf(domain, record);
  const wanted = { name, type, value };
  if (status === 'missing')
    return faultOfRecord(level, place, `${NEEDED[purpose]} It is not published.`, wanted);
  const there = found.map((text) => `"${text}"`).join(', ');
  return faultOfRecord(level, place, `${NEEDED[purpose]} Published is ${there}.`, wanted, 'replace it with');
}

const NEEDED: Readonly<Record<CheckedRecord['purpose'], string>> = {
  ownership: 'It proves that the domain is yours: without it mail is refused after a day.',
  dkim: 'Receivers check the signature of all mail with it.',
  return_path: 'Bounces come back by it, and SPF is judged by it.',
  dmarc: 'Large receivers require it of everybody who sends much.',
};

/** Missing readiness records are problems here, too. */
function gravityOf(domain: ReadinessFacts, record: CheckedRecord): Exclude<FindingStatus, 'ok'> {
  if (judgeReadiness(domain).failing.some(({ name }) => name === record.name)) return 'problem';
  return record.purpose === 'dkim' ? 'advice' : 'warning';
}

/** SPF of the return path, aligned with From. RFC 7489 §3.1.2 */
async function checkAligned(
  domain: string,
  addresses: readonly string[],
  { resolver }: DoctorDeps['dns'],
): Promise<Finding[]> {
  const name = returnPathName(domain);
  const place = ['domain.spf', name] as const;
  const identity = { sender: `bounce@${name}`, helo: name };
  const results = await Promise.all(addresses.map((ip) => checkSpf(resolver, name, { ip, ...identity })));
  const failing = addresses.filter((_, at) => results[at] !== 'pass');
  if (addresses.length === 0) return [];
  if (failing.length === 0) return [ok(...place, `Passes for ${addresses.join(', ')}.`)];
  const detail = `SPF gives ${[...new Set(results)].join(', ')} for ${failing.join(', ')}.`;
  return [fault('problem', place, detail, 'repair dns.spf; a CNAME takes the record of its target with it')];
}
