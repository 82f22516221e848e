import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { html } from '../html.ts';
import { proseHtml, type Rendered, type ResolveLink, renderTokens, tokensOf } from './markdown.ts';
import { ENGLISH, SPANISH } from './menu.ts';
import type { Page, SearchEntry } from './page.ts';
import { openingOf } from './search-entry.ts';

/** Search indexes only a decision's beginning (characters). */
const DECISION_OPENING = 600;
/** And less of guides and runbooks, which repeat other pages. */
const GUIDE_OPENING = 200;

/** At the root of the source tree, next to the other pages in a build. */
const CHANGELOG = 'changelog';
const OPENINGS_ONLY = new Set(['runbooks', CHANGELOG]);

/** Next to the bundle, or in the source tree. */
const FOLDERS = ['./docs', '../../../../../docs'];

export const ERRORS_PAGE = 'errors';

export function readGuide(name: string): string {
  const inTree = join(docsFolder(), '../CHANGELOG.md');
  const file = name === CHANGELOG && existsSync(inTree) ? inTree : join(docsFolder(), `${name}.md`);
  return readFileSync(file, 'utf8');
}

function docsFolder(): string {
  const found = FOLDERS.map((place) => fileURLToPath(new URL(place, import.meta.url))).find(existsSync);
  if (found === undefined) throw new Error('the pages of docs/ are missing: run npm run build');
  return found;
}

function decisionNames(): string[] {
  return readdirSync(join(docsFolder(), 'decisions'))
    .filter((name) => /^\d{4}-.*\.md$/.test(name))
    .map((name) => name.slice(0, -'.md'.length))
    .sort();
}

/** Maps links of docs/ to the site. `folder`: of the page, below docs/. */
export function createResolveLink(folder = ''): ResolveLink {
  const decisions = decisionNames();
  const guides = new Set([...[...ENGLISH, ...SPANISH].flatMap(({ pages }) => pages), ERRORS_PAGE]);
  return (target) => {
    if (/^(?:https?:|#|\/)/.test(target)) return target;
    const place = target.startsWith('docs/') ? target.slice('docs/'.length) : posix.join(folder, target);
    const number = /^decisions\/(\d{4})/.exec(place)?.[1];
    const decision = decisions.find((name) => number !== undefined && name.startsWith(number));
    if (decision !== undefined) return `/docs/decisions/${decision}`;
    const [, name, fragment = ''] = /^([\w/-]+)\.md(#.*)?$/.exec(place) ?? [];
    return name !== undefined && guides.has(name) ? `/docs/${name}${fragment}` : null;
  };
}

export function guidePages(section: string): Page[] {
  const { pages } = [...ENGLISH, ...SPANISH].find(({ title }) => title === section)!;
  return pages.map((name) => {
    const folder = posix.dirname(name) === '.' ? '' : posix.dirname(name);
    const rendered = renderTokens(tokensOf(readGuide(name)), createResolveLink(folder));
    const path = `/docs/${name}`;
    const all = entriesOf(rendered, path, 'Guide');
    const isWhole = folder === '' && !OPENINGS_ONLY.has(name);
    const entries = isWhole
      ? all
      : all.map((each) => ({ ...each, text: openingOf(each.text, GUIDE_OPENING) }));
    const page = { ...pageOf(rendered, path, section), entries };
    return folder.endsWith('/es') ? { ...page, lang: 'es' as const } : page;
  });
}

export function decisionPages(resolve: ResolveLink): Page[] {
  const pages = decisionNames().map((name) => {
    const rendered = renderTokens(tokensOf(readGuide(`decisions/${name}`)), resolve);
    const path = `/docs/decisions/${name}`;
    const [first, ...rest] = entriesOf(rendered, path, 'Decision');
    const text = openingOf(rest.map((each) => each.text).join(' '), DECISION_OPENING);
    const entry = { ...first!, text };
    return { ...pageOf(rendered, path, 'Design'), contents: [], entries: [entry] };
  });
  return [listOf(pages), ...pages];
}

function listOf(pages: readonly Page[]): Page {
  const lead = 'Why things are as they are: each decision that closes a door, with what it costs.';
  return {
    path: '/docs/decisions',
    title: 'Decisions',
    lead,
    section: 'Design',
    contents: [],
    entries: [],
    body: html`<h1>Decisions</h1>
<div class="lead"><p>${lead}</p></div>
<ol class="decisions">${pages.map(({ path, title }) => {
      const number = path.slice('/docs/decisions/'.length).slice(0, 4);
      const name = title.startsWith(`${number}: `) ? title.slice(`${number}: `.length) : title;
      return html`<li><span class="note">${number}</span> <a href="${path}">${name}</a></li>
`;
    })}</ol>`,
  };
}

function pageOf({ title, lead, html: body, contents }: Rendered, path: string, section: string): Page {
  return { path, title, lead, section, contents, body: proseHtml(body), entries: [] };
}

/** One hit per heading. */
export function entriesOf({ title: page, sections }: Rendered, path: string, kind: 'Guide' | 'Decision') {
  return sections.map(
    ({ id, title, text }): SearchEntry =>
      id === '' ? { href: path, title, kind, text } : { href: `${path}#${id}`, title, kind, text, page },
  );
}
