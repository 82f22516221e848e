import { number, oneOf, type SearchSchema, text } from '../../../../shared/routing/search.ts';

export const TABS = ['edit', 'versions', 'use'] as const;
export const PARTS = ['html', 'text'] as const;
export type Part = (typeof PARTS)[number];

export interface Search {
  readonly tab: (typeof TABS)[number];
  /** The tag of a language; empty: the template's own content. */
  readonly language: string;
  readonly part: Part;
  /** The selected version; 0: the current one. */
  readonly version: number;
  /** The one that it is compared with; 0: the one before it. */
  readonly against: number;
}

export const searchSchema: SearchSchema<Search> = {
  tab: oneOf(TABS, 'edit'),
  language: text(),
  part: oneOf(PARTS, 'html'),
  version: number(0),
  against: number(0),
};
