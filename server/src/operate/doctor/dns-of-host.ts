import { checkSpf, type SpfResult } from '@acuse/mail/authentication/spf';
import { allowsHost, policyUrl, readPolicy, readRecord, recordName } from '@acuse/mail/routing/mta-sts';
import type { MailResolver } from '@acuse/mail/routing/resolver';
import type { DoctorDeps, Group } from './examine.ts';
import { type Finding, fault, faultOfRecord, ok } from './finding.ts';
import { readSendingHosts, reverseName, type Source } from './sending-hosts.ts';

/** Our EHLO names and the bounce host. */
export const dnsOfHost: Group = async ({ config, dns, fetchPolicy }) => {
  const { hostname } = config;
  if (config.delivery === 'sandbox')
    return [ok('dns', hostname, 'Not checked: in the sandbox no mail leaves this machine.')];
  const { resolver } = dns;
  const bounces = [checkMx(hostname, resolver), checkMtaSts(hostname, resolver, fetchPolicy)];
  if (config.delivery === 'smarthost') {
    const relayed = `Mail leaves through ${config.smarthost?.host}: what that relay sends from must be in SPF.`;
    const fix = `publish the include: that your relay names at ${hostname}, to which the return paths of all domains point`;
    return [fault('advice', ['dns.spf', hostname], relayed, fix), ...(await Promise.all(bounces))];
  }
  const sources = await readSendingHosts(config, resolver);
  const findings = await Promise.all([
    ...sources.map(judgeAddresses),
    ...sources.flatMap((source) => source.addresses.map((address) => checkReverse(source, address, dns))),
    checkReturnPathSpf(hostname, sources, resolver),
    ...sources.filter(({ ehloName }) => ehloName !== hostname).map((one) => checkEhloSpf(one, resolver)),
    ...bounces,
  ]);
  return findings.flat();
};

function judgeAddresses({ ehloName, addresses, missing, failed }: Source): Finding[] {
  const place = ['dns.address', ehloName] as const;
  if (failed !== null) return [fault('unknown', place, `Look-up failed: ${failed}`, SEE_RESOLVER)];
  if (missing.length > 0)
    return missing.map((address) =>
      faultOfRecord('problem', place, `The name does not resolve to ${address}, from which it sends.`, {
        name: ehloName,
        type: address.includes(':') ? 'AAAA' : 'A',
        value: address,
      }),
    );
  if (addresses.length > 0) return [ok(...place, `Resolves to ${addresses.join(', ')}.`)];
  const detail = 'The name has no A or AAAA record: receivers refuse or mark mail from it.';
  const fix = `publish: ${ehloName}. A <the public address that mail leaves from>`;
  return [fault('problem', place, detail, fix)];
}

const SEE_RESOLVER = 'check ACUSE_DNS_SERVERS, or the DNS servers of the system (/etc/resolv.conf)';

/** Reverse DNS must match. RFC 8601 §2.7.3 */
async function checkReverse({ ehloName }: Source, address: string, dns: DoctorDeps['dns']): Promise<Finding> {
  const place = ['dns.ptr', address] as const;
  const answer = await dns.reverse(address);
  if (answer.kind === 'failed')
    return fault('unknown', place, `Look-up failed: ${answer.error}`, SEE_RESOLVER);
  const names =
    answer.kind === 'found' ? answer.values.map((name) => name.replace(/\.$/, '').toLowerCase()) : [];
  if (names.includes(ehloName)) return ok(...place, `Resolves back to ${ehloName}.`);
  const found = names.length === 0 ? 'has no PTR record' : `resolves back to ${names.join(', ')}`;
  return faultOfRecord(
    'problem',
    place,
    `The address ${found}, not to ${ehloName}: large receivers refuse mail from it.`,
    { name: reverseName(address), type: 'PTR', value: ehloName },
    'have the provider of the address publish',
  );
}

/** Return paths are aliases of our host name. RFC 7208 §2.4 */
async function checkReturnPathSpf(
  hostname: string,
  sources: readonly Source[],
  resolver: MailResolver,
): Promise<Finding[]> {
  const place = ['dns.spf', hostname] as const;
  const addresses = [...new Set(sources.flatMap((source) => source.addresses))];
  if (addresses.length === 0)
    return [fault('unknown', place, 'No address to check SPF for is known.', 'repair dns.address first')];
  const results = await Promise.all(
    addresses.map((ip) => checkSpf(resolver, hostname, { ip, sender: `bounce@${hostname}`, helo: hostname })),
  );
  const value = spfFor(addresses);
  const failing = addresses.filter((_, at) => results[at] !== 'pass');
  if (failing.length === 0) return [ok(...place, `Passes for ${addresses.join(', ')}.`)];
  return [judgeSpf(place, { failing, results, value, existing: await spfOf(hostname, resolver) })];
}

async function checkEhloSpf({ ehloName, addresses }: Source, resolver: MailResolver): Promise<Finding[]> {
  const place = ['dns.spf_ehlo', ehloName] as const;
  if (addresses.length === 0) return [];
  const identity = { sender: `postmaster@${ehloName}`, helo: ehloName };
  const results = await Promise.all(addresses.map((ip) => checkSpf(resolver, ehloName, { ip, ...identity })));
  const failing = addresses.filter((_, at) => results[at] !== 'pass');
  if (failing.length === 0) return [ok(...place, `Passes for ${addresses.join(', ')}.`)];
  const found = { failing, results, value: spfFor(addresses), existing: await spfOf(ehloName, resolver) };
  return [{ ...judgeSpf(place, found), ...(results.every((one) => one === 'none') && { status: 'advice' }) }];
}

interface SpfFound {
  readonly failing: readonly string[];
  readonly results: readonly SpfResult[];
  readonly value: string;
  readonly existing: readonly string[] | null;
}

function judgeSpf(place: readonly [string, string], found: SpfFound): Finding {
  const { failing, results, value, existing } = found;
  const name = place[1];
  if (existing === null || results.includes('temperror'))
    return fault('unknown', place, 'The look-up of the SPF record failed.', SEE_RESOLVER);
  const record = { name, type: 'TXT', value } as const;
  const [only] = existing;
  if (only === undefined)
    return faultOfRecord(
      'problem',
      place,
      'There is no SPF record: receivers cannot tell our mail from forgeries.',
      record,
    );
  if (existing.length > 1) {
    const detail = `There are ${existing.length} SPF records, and so none counts: ${existing.map((text) => `"${text}"`).join(', ')}.`;
    return faultOfRecord('problem', place, detail, record, 'replace them with');
  }
  if (results.includes('permerror')) {
    const detail = `The SPF record is not valid, or takes more than 10 look-ups: "${only}".`;
    return faultOfRecord('problem', place, detail, record, 'replace it with');
  }
  const detail = `The SPF record does not pass ${failing.join(', ')}: "${only}".`;
  return faultOfRecord(
    'problem',
    place,
    detail,
    { ...record, value: withAddresses(only, failing) },
    'change it to',
  );
}

function withAddresses(record: string, addresses: readonly string[]): string {
  const [version = 'v=spf1', ...terms] = record.split(/ +/).filter((term) => term !== '');
  return [version, ...addresses.map(mechanism), ...terms].join(' ');
}

export function spfFor(addresses: readonly string[]): string {
  return ['v=spf1', ...addresses.map(mechanism), '-all'].join(' ');
}

const mechanism = (address: string) => `${address.includes(':') ? 'ip6' : 'ip4'}:${address}`;

async function spfOf(name: string, resolver: MailResolver): Promise<string[] | null> {
  const look = await resolver.lookup(name, 'TXT');
  if (look.kind === 'servfail' || look.kind === 'timeout') return null;
  return look.kind === 'found' ? look.records.filter((text) => /^v=spf1(?: |$)/i.test(text)) : [];
}

/** Bounces follow the MX, or without one the address. RFC 5321 §5.1 */
async function checkMx(hostname: string, resolver: MailResolver): Promise<Finding> {
  const place = ['dns.bounces', hostname] as const;
  const look = await resolver.lookup(hostname, 'MX');
  if ('detail' in look) return fault('unknown', place, `Look-up failed: ${look.detail}`, SEE_RESOLVER);
  if (look.kind !== 'found') return ok(...place, 'No MX: bounces come to the address of the name.');
  const hosts = look.records.map(({ exchange }) => exchange);
  if (hosts.includes(hostname)) return ok(...place, 'The MX is this server.');
  return fault(
    'warning',
    place,
    `Bounces go to ${hosts.join(', ')}, not to ${hostname}: they count only if that host hands them on.`,
    `remove the MX records of ${hostname}, or publish: ${hostname}. MX 10 ${hostname}.`,
  );
}

/** A policy of ours must allow the host that takes the mail. RFC 8461 §4.1 */
async function checkMtaSts(
  hostname: string,
  resolver: MailResolver,
  fetchPolicy: DoctorDeps['fetchPolicy'],
): Promise<Finding> {
  const place = ['dns.mta_sts', hostname] as const;
  const look = await resolver.lookup(recordName(hostname), 'TXT');
  if ('detail' in look) return fault('unknown', place, `Look-up failed: ${look.detail}`, SEE_RESOLVER);
  if (look.kind !== 'found')
    return ok(...place, 'Not published; optional for a host that takes only bounces.');
  if (readRecord(look.records) === null) {
    const detail = `The record is not valid: ${look.records.map((text) => `"${text}"`).join(', ')}.`;
    return fault(
      'warning',
      place,
      detail,
      `remove it, or publish: ${recordName(hostname)}. TXT "v=STSv1; id=1"`,
    );
  }
  const url = policyUrl(hostname);
  const file = `serve there: version: STSv1, mode: enforce, mx: ${hostname}, max_age: 604800 (one per line)`;
  let text: string;
  try {
    text = await fetchPolicy(url);
  } catch (error) {
    return fault(
      'warning',
      place,
      `The policy cannot be read: ${(error as Error).message}`,
      `${url}: ${file}`,
    );
  }
  const policy = readPolicy(text);
  if (policy === null) return fault('warning', place, `The policy at ${url} is not valid.`, file);
  if (policy.mode === 'none' || allowsHost(policy, hostname))
    return ok(...place, `The policy (mode ${policy.mode}) allows this server.`);
  const detail = `The policy (mode ${policy.mode}) allows only ${policy.mx.join(', ')}.`;
  const status = policy.mode === 'enforce' ? 'problem' : 'warning';
  return fault(
    status,
    place,
    detail,
    `add the line mx: ${hostname} to ${url}, and change the id in the record`,
  );
}
