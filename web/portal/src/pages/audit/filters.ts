import type { Query } from '../../../../shared/api/client.ts';
import {
  ALL_TIME,
  isPeriod,
  type Period,
  periodQuery,
  periodSchema,
} from '../../../../shared/routing/period.ts';
import { type SearchSchema, text } from '../../../../shared/routing/search.ts';

export interface Search extends Period {
  readonly target: string;
  readonly action: string;
  readonly actor: string;
}

export const SEARCH: SearchSchema<Search> = {
  target: text(),
  action: text(),
  actor: text(),
  ...periodSchema('30'),
};

export const NO_FILTERS: Search = { target: '', action: '', actor: '', ...ALL_TIME };

export function isFiltered({ target, action, actor, ...period }: Search): boolean {
  return target !== '' || action !== '' || actor !== '' || isPeriod(period);
}

/** How many filters besides the text. */
export function countFilters({ action, actor, ...period }: Search): number {
  return [action !== '', actor !== '', isPeriod(period, '30')].filter(Boolean).length;
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const ACTION = /^[a-z_]{1,64}$/;

/** An address may hold anything: what the server would refuse is left out. */
export function toQuery({ target, action, actor, ...period }: Search): Query {
  return {
    target: target.trim().slice(0, 320),
    action: ACTION.test(action) ? action : '',
    actor_id: UUID.test(actor) ? actor : '',
    ...periodQuery(period),
  };
}
