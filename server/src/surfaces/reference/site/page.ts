import { type Html, html } from '../html.ts';

export interface Page {
  readonly path: string;
  readonly title: string;
  /** For previews and search. */
  readonly lead: string;
  readonly section: string;
  readonly lang?: 'es';
  readonly body: Html;
  readonly contents: readonly Place[];
  readonly entries: readonly SearchEntry[];
}

export function langOf({ lang }: { readonly lang?: Page['lang'] | undefined }): Html {
  return lang === undefined ? html`` : html` lang="${lang}"`;
}

export interface Place {
  readonly id: string;
  readonly title: string;
  readonly method?: string;
}

/** A search result. Title, text and words are indexed. */
export interface SearchEntry {
  readonly href: string;
  readonly title: string;
  readonly kind: 'Operation' | 'Error' | 'Event' | 'Schema' | 'Guide' | 'Decision';
  readonly text: string;
  readonly words?: string;
  readonly page?: string;
}

export const groupPath = (tag: string): string => `/docs/api/${tag.toLowerCase().replaceAll(' ', '-')}`;
export const operationHref = (tag: string, operationId: string): string => `${groupPath(tag)}#${operationId}`;
export const errorHref = (code: string): string => `/docs/errors#${code}`;
export const eventHref = (type: string): string => `/docs/events#${type}`;
export const schemaHref = (name: string): string => `/docs/schemas#${name}`;
