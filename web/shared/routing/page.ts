import type { UseQueryOptions } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import type { ApiClient } from '../api/client.ts';
import type { Language } from '../words/words.ts';
import type { SearchSchema } from './search.ts';

/** The export of a page's file: `page`, made by `definePage`. */
export interface Page<S = object> {
  /** `/messages/$id/$tab`, as routes.ts lists it. */
  readonly path: string;
  readonly search: SearchSchema<S>;
  title(language: Language): string;
  /** Prefetched on intent. */
  queries?(api: ApiClient, params: Params, search: S): readonly PageQuery[];
  readonly Page: ComponentType<PageProps<S>>;
}

// biome-ignore lint/suspicious/noExplicitAny: queries of any answer
export type PageQuery = UseQueryOptions<any, Error, any, any>;
export type Params = Readonly<Record<string, string>>;

export interface PageProps<S = object> {
  readonly params: Params;
  readonly search: S;
  /** Changes the address. `replace`: without a step to go back to, for what changes while somebody types. */
  setSearch(change: Partial<S>, options?: { replace?: boolean }): void;
}

/** Names the types of a page once: those of its search parameters. */
export function definePage<S>(page: Page<S>): AnyPage {
  return page as unknown as AnyPage;
}

// biome-ignore lint/suspicious/noExplicitAny: the list holds pages of any search parameters
export type AnyPage = Page<any>;

/** A line of routes.ts. */
export interface PageRoute {
  readonly path: string;
  load(): Promise<{ readonly page: AnyPage }>;
  /** Reached without a session: sign-in and what comes by a link. */
  readonly open: boolean;
}

export function route(path: string, load: PageRoute['load']): PageRoute {
  return { path, load, open: false };
}

export function openRoute(path: string, load: PageRoute['load']): PageRoute {
  return { path, load, open: true };
}
