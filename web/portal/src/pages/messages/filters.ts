import type { Query } from '../../../../shared/api/client.ts';
import type { AcknowledgementStatus, MessageStatus } from '../../../../shared/api/portal-types.ts';
import { type Period, periodQuery, periodSchema } from '../../../../shared/routing/period.ts';
import { oneOf, type SearchSchema, text } from '../../../../shared/routing/search.ts';

export interface Search extends Period {
  /** `to:ana@example.com status:bounced tag:invoice`; other words are looked for everywhere. */
  readonly q: string;
  readonly status: MessageStatus | '';
  readonly to: string;
  readonly seal: Seal;
  readonly acknowledgement: AcknowledgementStatus | '';
  /** Id of the key that sent it; the page of the keys leads here. */
  readonly api_key: string;
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
export const ANSWERS = [
  'requested',
  'acknowledged',
  'refused',
  'unanswered',
] as const satisfies readonly AcknowledgementStatus[];
export const SEALS = ['any', 'sealed', 'promised', 'certified', 'plain'] as const;
export type Seal = (typeof SEALS)[number];

export const searchSchema: SearchSchema<Search> = {
  q: text(),
  status: oneOf(['', ...STATUSES], ''),
  to: text(),
  seal: oneOf(SEALS, 'any'),
  acknowledgement: oneOf(['', ...ANSWERS], ''),
  api_key: text(),
  ...periodSchema('30'),
};

export const NO_FILTERS: Search = {
  q: '',
  status: '',
  to: '',
  seal: 'any',
  acknowledgement: '',
  api_key: '',
  days: '30',
  created_after: '',
  created_before: '',
};

export function isFiltered(search: Search): boolean {
  return Object.entries(search).some(([name, value]) => value !== NO_FILTERS[name as keyof Search]);
}

/** The fields that the search looks in. */
export function textOf({ q, to }: Search): string {
  const { q: words, to: named } = readText(q);
  return words ?? (to || (named ?? ''));
}

/** The query, over all messages. */
export function widened(search: Search): Search {
  return { ...NO_FILTERS, days: 'all', q: textOf(search) };
}

export function isNarrowed(search: Search): boolean {
  const wide = widened(search);
  return Object.entries(search).some(([name, value]) => value !== wide[name as keyof Search]);
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
};
/** The API's limit. */
const Q_MAX_CHARS = 200;
const WORD = /(?:(\w+):)?(?:"([^"]*)"|(\S+))/g;

/** As the parameters of `GET /messages`. */
export function toQuery(search: Search): Query {
  const { status, to, seal, acknowledgement, api_key: key } = search;
  return {
    ...SEAL_QUERIES[seal],
    ...(status !== '' && { status }),
    ...(acknowledgement !== '' && { acknowledgement }),
    ...(to !== '' && { to }),
    ...(key !== '' && { api_key_id: key }),
    ...periodQuery(search),
    ...readText(search.q),
  };
}

/** Words without a field's name are looked for everywhere. */
export function readText(given: string): Record<string, string> {
  const found: Record<string, string> = {};
  const words: string[] = [];
  for (const [whole, name, quoted, plain] of given.matchAll(WORD)) {
    const value = quoted ?? plain ?? '';
    const field = FIELDS.find((each) => each === name?.toLowerCase());
    if (field !== undefined) found[PARAMETERS[field] ?? field] = value;
    else words.push(quoted ?? whole);
  }
  if (words.length > 0) found['q'] = words.join(' ').slice(0, Q_MAX_CHARS);
  return found;
}
