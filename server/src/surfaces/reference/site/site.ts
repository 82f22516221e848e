import { html } from '../html.ts';
import type { OpenApiDocument } from '../openapi.ts';
import { errorsPage } from './errors-page.ts';
import { type Frame, framed } from './frame.ts';
import { groupPages, overviewPage } from './group.ts';
import { createResolveLink, decisionPages, guidePages } from './guides.ts';
import { ENGLISH, SPANISH } from './menu.ts';
import type { Page, SearchEntry } from './page.ts';
import { eventsPage, schemasPage } from './reference-pages.ts';
import { bounded } from './search-entry.ts';
import { spanishStartPage, startPage } from './start-page.ts';

export interface Site {
  /** HTML by path; undefined: no such page. */
  page(path: string): string | undefined;
  readonly paths: readonly string[];
  readonly entries: readonly SearchEntry[];
  readonly missing: string;
}

export function createSite(document: OpenApiDocument, publicUrl: string): Site {
  const pages = pagesOf(document, publicUrl);
  const frame: Frame = { version: (document.info as { version: string }).version, pages };
  const byPath = new Map(pages.map((page) => [page.path, page]));
  return {
    page(path) {
      const found = byPath.get(path);
      return found && framed(found, frame);
    },
    paths: pages.map(({ path }) => path),
    entries: pages.flatMap(({ entries }) => entries.map(bounded)),
    missing: framed(MISSING, frame),
  };
}

function pagesOf(document: OpenApiDocument, publicUrl: string): Page[] {
  const resolve = createResolveLink();
  const more: Readonly<Record<string, () => readonly Page[]>> = {
    API: () => [overviewPage(document, publicUrl), ...groupPages(document)],
    Reference: () => [errorsPage(document, resolve), eventsPage(document), schemasPage(document)],
  };
  const pagesOfGroup = ({ title }: { title: string }) => [...(more[title]?.() ?? []), ...guidePages(title)];
  const english = ENGLISH.flatMap(pagesOfGroup);
  const spanish = SPANISH.flatMap(pagesOfGroup);
  return [
    startPage(document, publicUrl, english),
    ...english,
    ...decisionPages(resolve),
    spanishStartPage(spanish),
    ...spanish,
  ];
}

const MISSING: Page = {
  path: '',
  title: 'Page not found',
  lead: 'There is no such page.',
  section: 'Start',
  contents: [],
  entries: [],
  body: html`<h1>Page not found</h1>
<div class="lead"><p>There is no such page here. Search, use the menu, or start at the <a href="/docs">overview</a>.</p></div>`,
};
