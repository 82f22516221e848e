import { type Html, html } from '../html.ts';

/** A page of `/docs`, before it has its frame. */
export interface Page {
  /** `/docs/api/messages`. */
  readonly path: string;
  readonly title: string;
  /** What the page is for, as one line: for link previews and for search. */
  readonly lead: string;
  readonly section: Section;
  /** Of the body, where it is not English. */
  readonly lang?: 'es';
  readonly body: Html;
  /** What the page has places for, in its order; shown below it in the menu while it is open. */
  readonly contents: readonly Place[];
  readonly entries: readonly SearchEntry[];
}

/** The attribute of what is written in another language than the site. */
export function langOf({ lang }: { readonly lang?: Page['lang'] | undefined }): Html {
  return lang === undefined ? html`` : html` lang="${lang}"`;
}

/** Headings of the menu, in its order. A section is of one language. */
export const SECTIONS = [
  'Start',
  'Guides',
  'How to',
  'En español',
  'API',
  'Reference',
  'Operators',
  'Decisions',
] as const;
export type Section = (typeof SECTIONS)[number];

export interface Place {
  readonly id: string;
  readonly title: string;
  /** Lower case: `post`. Of operations only. */
  readonly method?: string;
}

/** What one hit of a search leads to. The browser indexes title, text and words. */
export interface SearchEntry {
  readonly href: string;
  readonly title: string;
  readonly kind: 'Operation' | 'Error' | 'Event' | 'Schema' | 'Guide' | 'Decision';
  readonly text: string;
  /** What else the section is found by, where it is too long to be quoted whole. */
  readonly words?: string;
  /** The title of the page, where the hit is a heading of it. */
  readonly page?: string;
}

export const groupPath = (tag: string): string => `/docs/api/${tag.toLowerCase().replaceAll(' ', '-')}`;
export const operationHref = (tag: string, operationId: string): string => `${groupPath(tag)}#${operationId}`;
export const errorHref = (code: string): string => `/docs/errors#${code}`;
export const eventHref = (type: string): string => `/docs/events#${type}`;
export const schemaHref = (name: string): string => `/docs/schemas#${name}`;
