import type { Query } from '../../../../shared/api/client.ts';
import type { MessageStatus } from '../../../../shared/api/portal-types.ts';
import { daysAgo } from '../../../../shared/format/clock.ts';
import { oneOf, type SearchSchema, text } from '../../../../shared/routing/search.ts';

export interface Search {
  /** `to:ana@example.com subject:"A-1042" status:bounced tag:invoice`; other words are of the subject. */
  readonly q: string;
  readonly status: MessageStatus | '';
  readonly to: string;
  readonly seal: Seal;
  readonly days: Days;
  /** From a chart; replaces `days`. */
  readonly created_after: string;
  readonly created_before: string;
}

export const STATUSES = [
  'queued',
  'sent',
  'deferred',
  'bounced',
  'complained',
  'scheduled',
  'cancelled',
] as const satisfies readonly MessageStatus[];
export const SEALS = ['any', 'sealed', 'promised', 'certified', 'plain'] as const;
export type Seal = (typeof SEALS)[number];
export const DAYS = ['1', '7', '30', '90', 'all'] as const;
export type Days = (typeof DAYS)[number];

export const searchSchema: SearchSchema<Search> = {
  q: text(),
  status: oneOf(['', ...STATUSES], ''),
  to: text(),
  seal: oneOf(SEALS, 'any'),
  days: oneOf(DAYS, '30'),
  created_after: text(),
  created_before: text(),
};

export const NO_FILTERS: Search = {
  q: '',
  status: '',
  to: '',
  seal: 'any',
  days: '30',
  created_after: '',
  created_before: '',
};

export function isFiltered(search: Search): boolean {
  return Object.entries(search).some(([name, value]) => value !== NO_FILTERS[name as keyof Search]);
}

const SEAL_QUERIES: Readonly<Record<Seal, Query>> = {
  any: {},
  sealed: { sealed: true },
  promised: { certified: true, sealed: false },
  certified: { certified: true },
  plain: { certified: false },
};

/** Fields that the text may name: name → parameter of the API. */
const FIELDS = ['to', 'from', 'subject', 'tag', 'status', 'reason', 'template'] as const;
/** The API's names, where they differ. */
const PARAMETERS: Readonly<Record<string, string>> = {
  template: 'template_id',
  reason: 'bounce_reason',
};
const WORD = /(?:(\w+):)?(?:"([^"]*)"|(\S+))/g;

/** As the parameters of `GET /messages`. */
export function toQuery(search: Search): Query {
  const { status, to, seal, days, created_after: after, created_before: before } = search;
  const hasPeriod = after !== '' || before !== '';
  return {
    ...SEAL_QUERIES[seal],
    ...(status !== '' && { status }),
    ...(to !== '' && { to }),
    ...(hasPeriod && { created_after: after, created_before: before }),
    ...(!hasPeriod && days !== 'all' && { created_after: daysAgo(Number(days) - 1) }),
    ...readText(search.q),
  };
}

/** An address that is named by nothing is a recipient's; any other words are of the subject. */
export function readText(given: string): Record<string, string> {
  const found: Record<string, string> = {};
  const words: string[] = [];
  for (const [whole, name, quoted, plain] of given.matchAll(WORD)) {
    const value = quoted ?? plain ?? '';
    const field = FIELDS.find((each) => each === name?.toLowerCase());
    if (field !== undefined) found[PARAMETERS[field] ?? field] = value;
    else if (name === undefined && value.includes('@')) found['to'] = value;
    else words.push(quoted ?? whole);
  }
  if (words.length > 0 && found['subject'] === undefined) found['subject'] = words.join(' ');
  return found;
}
