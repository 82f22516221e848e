import type { EventType, Webhook, WebhookDeliveryStatus } from '../../../../shared/api/portal-types.ts';
import { oneOf, type SearchSchema } from '../../../../shared/routing/search.ts';
import { EVENTS } from '../../parts/webhooks/fields.tsx';

export interface Search {
  readonly status: WebhookDeliveryStatus | '';
  readonly type: EventType | '';
  readonly days: Days;
}

export const STATUSES = [
  'delivered',
  'pending',
  'failed',
] as const satisfies readonly WebhookDeliveryStatus[];
/** The log is kept for 30 days. */
export const DAYS = ['1', '7', 'all'] as const;
export type Days = (typeof DAYS)[number];

export const searchSchema: SearchSchema<Search> = {
  status: oneOf(['', ...STATUSES], ''),
  type: oneOf(['', ...EVENTS], ''),
  days: oneOf(DAYS, 'all'),
};

export const NO_FILTERS: Search = { status: '', type: '', days: 'all' };

export function isFiltered({ status, type, days }: Search): boolean {
  return status !== '' || type !== '' || days !== 'all';
}

export interface TabProps {
  readonly webhook: Webhook;
  readonly search: Search;
  setSearch(change: Partial<Search>): void;
}
