import type { Operator } from '../../../../shared/api/admin-types.ts';

/** What is asked above the page; of one operator but for a new one. */
export type Asked =
  | { readonly what: 'invite'; readonly operator: null }
  | { readonly what: 'role' | 'link' | 'reset' | 'remove'; readonly operator: Operator };
