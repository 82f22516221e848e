import { Resolver } from 'node:dns/promises';
import { getDomain } from 'tldts';
import { apiError } from '../../errors.ts';
import { type CheckedRecord, type DnsAnswer, judge, type WantedRecord } from './records.ts';

/** A failed look-up is an answer, never a throw. */
export interface DomainDns {
  /** Throws unavailable when busy. */
  check(records: readonly WantedRecord[]): Promise<CheckedRecord[]>;
}

const TRY_TIMEOUT_MS = 3_000;
const TRIES = 2;
/** Limits on values, which anyone can publish. */
const VALUES_MAX = 10;
const VALUE_MAX_CHARS = 1_024;

/** Limits the load on the resolver. */
const CHECKS_MAX = 64;
const RETRY_AFTER_SECONDS = 2;

/** c-ares' codes for a certain absence. */
const CERTAIN = new Set(['ENOTFOUND', 'ENODATA']);

export function createDomainDns(options: { servers: readonly string[] }): DomainDns {
  const resolver = new Resolver({ timeout: TRY_TIMEOUT_MS, tries: TRIES });
  if (options.servers.length > 0) resolver.setServers(options.servers);

  const txt = (name: string) =>
    ask(async () => (await resolver.resolveTxt(name)).map((chunks) => chunks.join('')));
  const cname = (name: string) => ask(() => resolver.resolveCname(name));
  const mx = (name: string) =>
    ask(async () => (await resolver.resolveMx(name)).map((each) => `${each.priority} ${each.exchange}`));

  async function checkOne(wanted: WantedRecord): Promise<CheckedRecord> {
    switch (wanted.purpose) {
      case 'ownership':
      case 'dkim':
        return judge(wanted, await txt(wanted.name));
      case 'return_path':
        return checkReturnPath(wanted);
      case 'dmarc':
        return checkDmarc(wanted);
    }
  }

  /** A CNAME brings MX and SPF; an MX to the same host also works. */
  async function checkReturnPath(wanted: WantedRecord): Promise<CheckedRecord> {
    const alias = judge(wanted, await cname(wanted.name));
    if (alias.status !== 'missing') return alias;
    return judge(wanted, await mx(wanted.name));
  }

  /** The organizational domain's policy covers subdomains. RFC 7489 §6.6.3 */
  async function checkDmarc(wanted: WantedRecord): Promise<CheckedRecord> {
    const own = judge(wanted, await txt(wanted.name));
    const domain = wanted.name.slice('_dmarc.'.length);
    const organization = getDomain(domain, { allowPrivateDomains: true });
    if (own.status === 'found' || organization === null || organization === domain) return own;
    const inherited = judge(wanted, await txt(`_dmarc.${organization}`));
    return inherited.status === 'found' ? inherited : own;
  }

  let active = 0;
  return {
    async check(records) {
      if (active >= CHECKS_MAX) {
        throw apiError('unavailable', 'Too many domains are being looked up: retry shortly.', {
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        });
      }
      active++;
      try {
        return await Promise.all(records.map(checkOne));
      } finally {
        active--;
      }
    },
  };
}

async function ask(question: () => Promise<string[]>): Promise<DnsAnswer> {
  try {
    const values = (await question()).slice(0, VALUES_MAX).map(printable);
    return values.length > 0 ? { kind: 'found', values } : { kind: 'none' };
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    if (typeof code === 'string' && CERTAIN.has(code)) return { kind: 'none' };
    return { kind: 'failed', error: typeof code === 'string' ? code : 'look-up failed' };
  }
}

/** Publisher's bytes: controls (PostgreSQL takes no NUL) and excess length are cut. */
function printable(value: string): string {
  return value
    .slice(0, VALUE_MAX_CHARS)
    .toWellFormed()
    .replace(/\p{Cc}/gu, '\ufffd');
}
