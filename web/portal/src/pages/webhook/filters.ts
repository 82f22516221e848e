import type { EventType, Webhook, WebhookDeliveryStatus } from '../../../../shared/api/portal-types.ts';
import { ALL_TIME, isPeriod, type Period, periodSchema } from '../../../../shared/routing/period.ts';
import { oneOf, type SearchSchema } from '../../../../shared/routing/search.ts';
import { EVENTS } from '../../parts/webhooks/fields.tsx';

export interface Search extends Period {
  readonly status: WebhookDeliveryStatus | '';
  readonly type: EventType | '';
}

export const STATUSES = [
  'delivered',
  'pending',
  'failed',
] as const satisfies readonly WebhookDeliveryStatus[];
/** The log is kept for 30 days. */
export const DAYS = ['1', '7', 'all'] as const;

export const searchSchema: SearchSchema<Search> = {
  status: oneOf(['', ...STATUSES], ''),
  type: oneOf(['', ...EVENTS], ''),
  ...periodSchema('all'),
};

export const NO_FILTERS: Search = { status: '', type: '', ...ALL_TIME };

export function countFilters({ status, type, ...period }: Search): number {
  return [status !== '', type !== '', isPeriod(period)].filter(Boolean).length;
}

export interface TabProps {
  readonly webhook: Webhook;
  readonly search: Search;
  setSearch(change: Partial<Search>): void;
}
