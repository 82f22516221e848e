import { type HeaderFields, parseHeaderFields } from '@acuse/mail/report/header-fields';
import { dkimRecordName, wantedRecords, withLastStatus } from '../../accounts/domains/records.ts';
import { readTypicalReporter } from '../../accounts/domains/reports.ts';
import { type Domain, findDomain } from '../../accounts/domains/store.ts';
import type { DbAndClock } from '../../platform/database/db.ts';
import { requireById } from '../../platform/http/own-rows.ts';
import { firstIdAt } from '../../platform/ids.ts';
import {
  type ComplaintCount,
  countComplaints,
  type SampledMessage,
  sampleSent,
} from './requirements-store.ts';

/**
 * The rules of Gmail and Yahoo for bulk senders (https://support.google.com/a/answer/81126,
 * https://senders.yahooinc.com/best-practices), and our findings for one domain.
 */
export const RULES = [
  'dkim',
  'spf',
  'dmarc',
  'alignment',
  'one_click_unsubscribe',
  'complaint_rate',
  'reverse_dns',
  'tls',
] as const;
export type Rule = (typeof RULES)[number];

export const VERDICTS = ['met', 'at_risk', 'unmet', 'not_needed', 'unknown'] as const;

export interface Requirement {
  readonly rule: Rule;
  readonly verdict: (typeof VERDICTS)[number];
  /** How many of `total` meet the rule; for complaint_rate, how many break it. */
  readonly part: number | null;
  readonly total: number | null;
  /** Names and addresses that were checked. */
  readonly found: string[];
}

export interface RequirementDeps extends DbAndClock {
  readonly returnPathHost: string | null;
  /** Null: mail does not leave from here (a relay, the sandbox). */
  lookAtSources: (() => Promise<SourceFacts>) | null;
}

/** The addresses that mail leaves from. */
export interface SourceFacts {
  readonly addresses: readonly string[];
  /** Addresses whose PTR leads back to our name. */
  readonly reversed: readonly string[];
}

const REQUIREMENT_DAYS = 30;
const DAY_MS = 86_400_000;
/** The account's latest messages that are looked through for the domain's. */
const LOOKED_MAX = 10_000;
const SAMPLED_MAX = 100;
const HEAD_BYTES = 16_384;
/** Below this a share says nothing. */
const ENOUGH_MESSAGES = 100;
/** Google: keep below the first, never reach the second. */
const COMPLAINTS_ADVISED = 0.001;
const COMPLAINTS_MAX = 0.003;
const MOSTLY = 0.98;

export async function readRequirements(deps: RequirementDeps, tenantId: string, domainId: string) {
  const { db, clock } = deps;
  const since = new Date(clock.now().getTime() - REQUIREMENT_DAYS * DAY_MS);
  const own = await requireById(db, tenantId, domainId, async (tx) => {
    const domain = await findDomain(tx, tenantId, domainId);
    if (domain === null) return null;
    const fromId = firstIdAt(since);
    const limits = { looked: LOOKED_MAX, sampled: SAMPLED_MAX, headBytes: HEAD_BYTES };
    return {
      domain,
      complaints: await countComplaints(tx, tenantId, domain.name, fromId, LOOKED_MAX),
      sample: await sampleSent(tx, tenantId, domain.name, fromId, limits),
    };
  });
  const [reporter, sources] = await Promise.all([
    readTypicalReporter(deps, tenantId, domainId, REQUIREMENT_DAYS),
    deps.lookAtSources === null ? null : deps.lookAtSources(),
  ]);
  return {
    domain: own.domain.name,
    since: since.toISOString(),
    requirements: judgeRequirements({ ...own, reporter, sources }, deps.returnPathHost),
  };
}

export interface RequirementFacts {
  readonly domain: Pick<Domain, 'name' | 'challenge' | 'keys' | 'records'>;
  readonly complaints: ComplaintCount;
  readonly sample: readonly SampledMessage[];
  /** The median reporter, by the share that failed DMARC; null: too few. */
  readonly reporter: { readonly total: number; readonly passed: number } | null;
  readonly sources: SourceFacts | null;
}

export function judgeRequirements(facts: RequirementFacts, returnPathHost: string | null): Requirement[] {
  const { reporter, complaints, sample, sources } = facts;
  return [
    ...records(facts.domain, returnPathHost),
    share('alignment', reporter?.passed ?? 0, reporter?.total ?? 0, {
      least: ENOUGH_MESSAGES,
      below: 'unmet',
    }),
    unsubscribable(sample),
    complained(complaints),
    reversed(sources),
    encrypted(sample),
  ];
}

function records(domain: RequirementFacts['domain'], returnPathHost: string | null): Requirement[] {
  const wanted = withLastStatus(wantedRecords(domain, domain.keys, returnPathHost), domain.records);
  // RSA: every receiver checks it. RFC 8463 §1
  const keys = domain.keys.filter(({ algorithm }) => algorithm === 'rsa-sha256');
  const active = keys.filter(({ status }) => status === 'active');
  const signing = new Set(
    (active.length > 0 ? active : keys).map(({ selector }) => dkimRecordName(selector, domain.name)),
  );
  const of = (rule: Rule, some: typeof wanted): Requirement => ({
    rule,
    verdict: standingOf(some.map(({ status }) => status)),
    ...NO_COUNT,
    found: some.flatMap(({ name, found }) => (rule === 'dmarc' && found.length > 0 ? found : [name])),
  });
  const purpose = (which: string) => wanted.filter((record) => record.purpose === which);
  return [
    of(
      'dkim',
      purpose('dkim').filter(({ name }) => signing.has(name)),
    ),
    of('spf', purpose('return_path')),
    of('dmarc', purpose('dmarc')),
  ];
}

const NO_COUNT = { part: null, total: null };

function standingOf(statuses: readonly string[]): Requirement['verdict'] {
  if (statuses.includes('found')) return 'met';
  return statuses.includes('missing') || statuses.includes('mismatch') ? 'unmet' : 'unknown';
}

function share(
  rule: Rule,
  part: number,
  total: number,
  { least, below }: { readonly least: number; readonly below: 'unmet' | 'at_risk' },
): Requirement {
  const verdict = total < least ? 'unknown' : part >= total * MOSTLY ? 'met' : below;
  return { rule, verdict, part, total, found: [] };
}

/**
 * Both ask it of marketing and subscribed mail alone. Only marks show such mail: List-Unsubscribe, List-Id,
 * Precedence: bulk or list. A mailing without marks cannot be recognised.
 */
function unsubscribable(sample: readonly SampledMessage[]): Requirement {
  const rule = 'one_click_unsubscribe';
  const heads = sample.flatMap(({ head }) => (head === null ? [] : [headerOf(head)]));
  const marked = heads.filter(isMarked);
  if (heads.length > 0 && marked.length === 0)
    return { rule, verdict: 'not_needed', part: 0, total: heads.length, found: [] };
  return share(rule, marked.filter(hasOneClick).length, marked.length, { least: 1, below: 'at_risk' });
}

function isMarked(head: HeaderFields): boolean {
  const precedence = head.get('precedence')?.trim() ?? '';
  return head.has('list-unsubscribe') || head.has('list-id') || /^(?:bulk|list)$/i.test(precedence);
}

/** RFC 8058 §3.1 */
function hasOneClick(head: HeaderFields): boolean {
  return (
    /^List-Unsubscribe=One-Click$/i.test(head.get('list-unsubscribe-post')?.trim() ?? '') &&
    (head.get('list-unsubscribe') ?? '').toLowerCase().includes('<https:')
  );
}

function headerOf(head: Buffer): HeaderFields {
  const text = head.toString('latin1').replaceAll('\r\n', '\n');
  const end = text.indexOf('\n\n');
  return parseHeaderFields(end === -1 ? text : text.slice(0, end));
}

function complained({ sent, complained: part }: ComplaintCount): Requirement {
  const rate = sent === 0 ? 0 : part / sent;
  const judged = rate >= COMPLAINTS_MAX ? 'unmet' : rate >= COMPLAINTS_ADVISED ? 'at_risk' : 'met';
  const verdict = sent < ENOUGH_MESSAGES ? 'unknown' : judged;
  return { rule: 'complaint_rate', verdict, part, total: sent, found: [] };
}

/** RFC 8601 §2.7.3 */
function reversed(sources: SourceFacts | null): Requirement {
  if (sources === null || sources.addresses.length === 0)
    return { rule: 'reverse_dns', verdict: 'unknown', ...NO_COUNT, found: [] };
  const { addresses, reversed: good } = sources;
  return {
    rule: 'reverse_dns',
    verdict: good.length === addresses.length ? 'met' : 'unmet',
    ...{ part: good.length, total: addresses.length, found: [...addresses] },
  };
}

function encrypted(sample: readonly SampledMessage[]): Requirement {
  const known = sample.filter(({ tls }) => tls !== null);
  const part = known.filter(({ tls }) => tls === true).length;
  return share('tls', part, known.length, { least: 1, below: 'at_risk' });
}
