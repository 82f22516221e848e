import type { Query } from '../../../../shared/api/client.ts';
import type { MessageStatus, RecordedEventType } from '../../../../shared/api/portal-types.ts';
import { oneOf, type SearchSchema, text } from '../../../../shared/routing/search.ts';

export const TYPES = [
  'email.queued',
  'email.sent',
  'email.deferred',
  'email.bounced',
  'email.complained',
  'email.cancelled',
  'email.sealed',
  'acknowledgement.given',
  'acknowledgement.refused',
  'acknowledgement.expired',
] as const satisfies readonly RecordedEventType[];
export const STATUSES = [
  'queued',
  'sent',
  'deferred',
  'bounced',
  'complained',
  'cancelled',
] as const satisfies readonly MessageStatus[];

export interface Search {
  readonly address: string;
  readonly type: RecordedEventType | '';
  readonly status: MessageStatus | '';
  readonly tag: string;
}

export const searchSchema: SearchSchema<Search> = {
  address: text(),
  type: oneOf(['', ...TYPES], ''),
  status: oneOf(['', ...STATUSES], ''),
  tag: text(),
};

export const NO_FILTERS: Search = { address: '', type: '', status: '', tag: '' };

export const isFiltered = (search: Search) => Object.values(search).some((value) => value !== '');

export function toQuery(search: Search): Query {
  return Object.fromEntries(
    Object.entries(search).flatMap(([name, value]) => (value.trim() === '' ? [] : [[name, value.trim()]])),
  );
}
