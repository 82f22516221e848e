import type { Operator } from '../../../../shared/api/admin-types.ts';

export type Asked =
  | { readonly what: 'invite'; readonly operator: null }
  | { readonly what: 'role' | 'link' | 'reset' | 'remove'; readonly operator: Operator };
