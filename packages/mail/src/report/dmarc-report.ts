import { isIP } from 'node:net';
import { childOf, childrenOf, parsePlainXml, textOf, type XmlElement } from './plain-xml.ts';

/** A receiver's report on mail with a domain in its From. RFC 7489 §7.2, Appendix C */
export interface DmarcReport {
  readonly kind: 'dmarc';
  /** Its own name for the report: with the reporter's domain, unique. */
  readonly reportId: string;
  /** The domain that publishes the policy, lower case. */
  readonly domain: string;
  readonly begin: Date;
  readonly end: Date;
  readonly policy: DmarcPolicy | null;
  readonly rows: readonly DmarcRow[];
}

export const DMARC_POLICIES = ['none', 'quarantine', 'reject'] as const;
export type DmarcPolicy = (typeof DMARC_POLICIES)[number];

export interface DmarcRow {
  readonly sourceIp: string;
  readonly messages: number;
  /** The action taken on them. */
  readonly disposition: DmarcPolicy;
  /** True if DKIM, or SPF, passed for the domain in From or an aligned one. RFC 7489 §3.1 */
  readonly dkimAligned: boolean;
  readonly spfAligned: boolean;
  readonly headerFrom: string;
  /** Selectors of the signatures that passed, where the receiver names them. */
  readonly selectors: readonly string[];
}

/** Rows that are kept; the rest is added to nothing. */
const MAX_ROWS = 10_000;
const MAX_SELECTORS = 4;
const MAX_MESSAGES = 1_000_000_000;
const NAME = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;
/** RFC 7489 §7.2.1.1 has a day; a longer period is not a report's. */
const MAX_SPAN_MS = 40 * 86_400_000;

/** Null: not one, or not to be made sense of. */
export function readDmarcReport(text: string): DmarcReport | null {
  const root = parsePlainXml(text);
  if (root?.name !== 'feedback') return null;
  const metadata = childOf(root, 'report_metadata');
  const published = childOf(root, 'policy_published');
  const domain = nameOf(textOf(published, 'domain'));
  const reportId = textOf(metadata, 'report_id');
  const begin = timeOf(textOf(metadata, 'date_range', 'begin'));
  const end = timeOf(textOf(metadata, 'date_range', 'end'));
  if (domain === null || reportId === '' || begin === null || end === null) return null;
  const span = end.getTime() - begin.getTime();
  if (span < 0 || span > MAX_SPAN_MS) return null;
  const records = childrenOf(root, 'record').slice(0, MAX_ROWS);
  const rows = records.flatMap((record) => rowOf(record) ?? []);
  const policy = policyOf(textOf(published, 'p'));
  return { kind: 'dmarc', reportId, domain, begin, end, policy, rows };
}

function rowOf(record: XmlElement): DmarcRow | null {
  const row = childOf(record, 'row');
  const evaluated = childOf(row, 'policy_evaluated');
  const sourceIp = textOf(row, 'source_ip').toLowerCase();
  const messages = Number(textOf(row, 'count'));
  if (isIP(sourceIp) === 0 || !Number.isSafeInteger(messages) || messages < 1) return null;
  const headerFrom = nameOf(textOf(record, 'identifiers', 'header_from'));
  if (headerFrom === null) return null;
  const passed = childrenOf(childOf(record, 'auth_results'), 'dkim').filter(
    (one) => textOf(one, 'result').toLowerCase() === 'pass',
  );
  const selectors = passed.flatMap((one) => nameOf(textOf(one, 'selector')) ?? []);
  return {
    sourceIp,
    messages: Math.min(messages, MAX_MESSAGES),
    disposition: policyOf(textOf(evaluated, 'disposition')) ?? 'none',
    dkimAligned: textOf(evaluated, 'dkim').toLowerCase() === 'pass',
    spfAligned: textOf(evaluated, 'spf').toLowerCase() === 'pass',
    headerFrom,
    selectors: [...new Set(selectors)].slice(0, MAX_SELECTORS),
  };
}

function policyOf(text: string): DmarcPolicy | null {
  return DMARC_POLICIES.find((one) => one === text.toLowerCase()) ?? null;
}

function nameOf(text: string): string | null {
  const name = text.toLowerCase().replace(/\.$/, '');
  return NAME.test(name) ? name : null;
}

/** Seconds since 1970. */
function timeOf(text: string): Date | null {
  return /^\d{1,10}$/.test(text) ? new Date(Number(text) * 1_000) : null;
}
