import type { Query } from '../../../../shared/api/client.ts';
import { daysAgo } from '../../../../shared/format/clock.ts';
import { oneOf, type SearchSchema, text } from '../../../../shared/routing/search.ts';

export const PERIODS = ['7', '30', '365', 'all'] as const;

export interface Search {
  readonly target: string;
  readonly action: string;
  readonly actor: string;
  readonly days: (typeof PERIODS)[number];
}

export const SEARCH: SearchSchema<Search> = {
  target: text(),
  action: text(),
  actor: text(),
  days: oneOf(PERIODS, '30'),
};

export const NO_FILTERS: Search = { target: '', action: '', actor: '', days: 'all' };

export function isFiltered({ target, action, actor, days }: Search): boolean {
  return target !== '' || action !== '' || actor !== '' || days !== 'all';
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const ACTION = /^[a-z_]{1,64}$/;

/** An address may hold anything: what the server would refuse is left out. */
export function toQuery({ target, action, actor, days }: Search): Query {
  return {
    target: target.trim().slice(0, 320),
    action: ACTION.test(action) ? action : '',
    actor_id: UUID.test(actor) ? actor : '',
    created_after: days === 'all' ? '' : daysAgo(Number(days)),
  };
}
