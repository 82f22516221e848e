import { BlockList, isIP } from 'node:net';
import type { DnsData, DnsType } from '../routing/dns-message.ts';
import type { MailResolver } from '../routing/resolver.ts';
import { expandMacros, type SpfIdentity } from './spf-macros.ts';

/** Checks that a domain lets an address send in its name. RFC 7208 §4 */
export type SpfResult = 'pass' | 'fail' | 'softfail' | 'neutral' | 'none' | 'temperror' | 'permerror';

/** Terms that ask the DNS, in all records together. RFC 7208 §4.6.4 */
const MAX_TERMS = 10;
/** Questions without an answer. RFC 7208 §4.6.4 */
const MAX_VOID = 2;
/** Hosts of one `mx`. RFC 7208 §4.6.4 */
const MAX_MX_HOSTS = 10;
/** Characters of a record that are read; what fits a few TXT strings. */
const MAX_RECORD_CHARS = 4_096;
const DOMAIN = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_](?:[a-z0-9_-]{0,62}))+$/i;

/** Ends an evaluation from the inside. */
class SpfEnd extends Error {
  readonly result: 'temperror' | 'permerror';
  constructor(result: 'temperror' | 'permerror') {
    super(result);
    this.result = result;
  }
}

interface Evaluation {
  readonly resolver: MailResolver;
  readonly identity: SpfIdentity;
  terms: number;
  voids: number;
}

/** check_host(). `ptr` matches nobody and explanations are not fetched. Never rejects. RFC 7208 §4 */
export async function checkSpf(
  resolver: MailResolver,
  domain: string,
  identity: SpfIdentity,
): Promise<SpfResult> {
  if (!DOMAIN.test(domain) || isIP(identity.ip) === 0) return 'none';
  try {
    return await checkHost({ resolver, identity, terms: 0, voids: 0 }, domain);
  } catch (error) {
    if (error instanceof SpfEnd) return error.result;
    throw error;
  }
}

async function checkHost(evaluation: Evaluation, domain: string): Promise<SpfResult> {
  const record = await readRecord(evaluation, domain);
  if (record === null) return 'none';
  const terms = record
    .split(/ +/)
    .slice(1)
    .filter((term) => term !== '');
  let redirect: string | null = null;
  for (const term of terms) {
    const modifier = /^([a-z][a-z0-9_.-]*)=(.*)$/i.exec(term);
    if (modifier !== null) {
      if (modifier[1]!.toLowerCase() === 'redirect') redirect = modifier[2]!;
      continue;
    }
    const parsed = /^([+?~-]?)([a-z0-9]+)/i.exec(term);
    if (parsed === null) throw new SpfEnd('permerror');
    const [opening, sign, name] = parsed;
    if (await matches(evaluation, domain, name!.toLowerCase(), term.slice(opening.length)))
      return QUALIFIERS[sign!] ?? 'pass';
  }
  if (redirect === null) return 'neutral';
  countTerm(evaluation);
  const result = await checkHost(evaluation, target(evaluation, domain, redirect));
  if (result === 'none') throw new SpfEnd('permerror');
  return result;
}

const QUALIFIERS: Readonly<Record<string, SpfResult>> = {
  '': 'pass',
  '+': 'pass',
  '-': 'fail',
  '~': 'softfail',
  '?': 'neutral',
};

/** RFC 7208 §4.5 */
async function readRecord(evaluation: Evaluation, domain: string): Promise<string | null> {
  const texts = await ask(evaluation, domain, 'TXT');
  const records = texts.filter((text) => /^v=spf1(?: |$)/i.test(text));
  if (records.length > 1) throw new SpfEnd('permerror');
  return records[0]?.slice(0, MAX_RECORD_CHARS) ?? null;
}

/** RFC 7208 §5 */
async function matches(evaluation: Evaluation, domain: string, name: string, rest: string): Promise<boolean> {
  const { ip } = evaluation.identity;
  switch (name) {
    case 'all':
      return true;
    case 'ip4':
    case 'ip6':
      return isWithin(ip, rest.replace(/^:/, ''), null);
    case 'include':
      return included(evaluation, target(evaluation, domain, rest.replace(/^:/, '')));
    case 'ptr':
      countTerm(evaluation);
      return false;
    case 'exists':
      countTerm(evaluation);
      return (await askVoid(evaluation, target(evaluation, domain, rest.replace(/^:/, '')), 'A')).length > 0;
    case 'a':
    case 'mx': {
      countTerm(evaluation);
      const [, named, prefix] = /^(?::([^/]*))?(\/.*)?$/.exec(rest) ?? [];
      const host = named === undefined ? domain : target(evaluation, domain, named);
      const hosts = name === 'a' ? [host] : await exchangesOf(evaluation, host);
      for (const one of hosts) if (await isHost(evaluation, one, prefix ?? '')) return true;
      return false;
    }
    default:
      throw new SpfEnd('permerror');
  }
}

async function included(evaluation: Evaluation, domain: string): Promise<boolean> {
  countTerm(evaluation);
  const result = await checkHost(evaluation, domain);
  if (result === 'none') throw new SpfEnd('permerror');
  return result === 'pass';
}

async function exchangesOf(evaluation: Evaluation, domain: string): Promise<string[]> {
  const records = await askVoid(evaluation, domain, 'MX');
  if (records.length > MAX_MX_HOSTS) throw new SpfEnd('permerror');
  return records.map(({ exchange }) => exchange).filter((exchange) => DOMAIN.test(exchange));
}

/** `prefix`: `/24`, `//64` or `/24//64`. RFC 7208 §5.6 */
async function isHost(evaluation: Evaluation, host: string, prefix: string): Promise<boolean> {
  const { ip } = evaluation.identity;
  const six = isIP(ip) === 6;
  const lengths = /^(?:\/(\d{1,2}))?(?:\/\/(\d{1,3}))?$/.exec(prefix);
  if (lengths === null) throw new SpfEnd('permerror');
  const length = six ? lengths[2] : lengths[1];
  const addresses = await askVoid(evaluation, host, six ? 'AAAA' : 'A');
  return addresses.some((address) => isWithin(ip, address, length === undefined ? null : Number(length)));
}

/** `network`: an address, with `/length` or without; `length` counts where it is given. */
function isWithin(ip: string, network: string, length: number | null): boolean {
  const [address, stated] = network.split('/');
  const family = isIP(address ?? '');
  if (family === 0) throw new SpfEnd('permerror');
  const bits = family === 6 ? 128 : 32;
  const prefix = length ?? (stated === undefined ? bits : Number(stated));
  if (!Number.isInteger(prefix) || prefix < 0 || prefix > bits) throw new SpfEnd('permerror');
  if (isIP(ip) !== family) return false;
  const list = new BlockList();
  list.addSubnet(address!, prefix, family === 6 ? 'ipv6' : 'ipv4');
  return list.check(ip, family === 6 ? 'ipv6' : 'ipv4');
}

function target(evaluation: Evaluation, domain: string, text: string): string {
  const expanded = expandMacros(text, evaluation.identity, domain);
  if (expanded === null || !DOMAIN.test(expanded)) throw new SpfEnd('permerror');
  return expanded;
}

function countTerm(evaluation: Evaluation): void {
  evaluation.terms += 1;
  if (evaluation.terms > MAX_TERMS) throw new SpfEnd('permerror');
}

async function askVoid<T extends DnsType>(
  evaluation: Evaluation,
  name: string,
  type: T,
): Promise<readonly DnsData[T][]> {
  const records = await ask(evaluation, name, type);
  if (records.length === 0) evaluation.voids += 1;
  if (evaluation.voids > MAX_VOID) throw new SpfEnd('permerror');
  return records;
}

async function ask<T extends DnsType>(
  { resolver }: Evaluation,
  name: string,
  type: T,
): Promise<readonly DnsData[T][]> {
  const answer = await resolver.lookup(name, type);
  if (answer.kind === 'found') return answer.records;
  if (answer.kind === 'servfail' || answer.kind === 'timeout') throw new SpfEnd('temperror');
  return [];
}
