import { type Html, html } from '../html.ts';
import { langOf, type Page, SECTIONS } from './page.ts';

/** Menu, search and neighbours around every page. */
export interface Frame {
  readonly version: string;
  readonly pages: readonly Page[];
}

const ICON =
  'data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"%3E%3Cpath d="M8 1l7 7-7 7-7-7z" fill="%230f766e"/%3E%3C/svg%3E';

/** No inline script or style, nothing external. */
export function framed(page: Page, frame: Frame): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.title} · Acuse docs</title>
<meta name="description" content="${page.lead}">
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="/docs/page.css">
<script type="module" src="/docs/page.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<button type="button" class="menu" popovertarget="menu">Menu</button>
<a class="brand" href="/docs"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M8 1l7 7-7 7-7-7z"/></svg>Acuse <span>docs</span></a>
<button type="button" class="find" data-search hidden><span>Search</span> <kbd>/</kbd></button>
<nav class="elsewhere" aria-label="Elsewhere"><a href="/verify">Verify</a> <a href="/openapi.json">openapi.json</a></nav>
</header>
<div class="layout">
<nav id="menu" class="panel" popover aria-label="Documentation">
${SECTIONS.map((section) => sectionHtml(section, page, frame))}<p class="note">Acuse ${frame.version}</p>
</nav>
<main id="main"${langOf(page)}>
${page.body}
${neighboursHtml(page, frame)}
</main>
</div>
</body>
</html>
`.text;
}

function sectionHtml(section: string, page: Page, { pages }: Frame): Html {
  const shown = pages.filter((each) => each.section === section && inMenu(each, page));
  if (shown.length === 0) return html``;
  return html`<section${langOf(shown[0]!)}><h2>${section}</h2>
<ul>${shown.map(
    (each) => html`<li>${menuLink(each, page)}${each === page ? placesHtml(page) : ''}</li>
`,
  )}</ul></section>
`;
}

/** Decisions: only their list, and the open one. */
function inMenu(each: Page, page: Page): boolean {
  return !each.path.startsWith('/docs/decisions/') || each === page;
}

function menuLink(each: Page, page: Page): Html {
  return html`<a href="${each.path}"${each === page ? html` aria-current="page"` : ''}>${each.title}</a>`;
}

function placesHtml({ contents }: Page): Html {
  if (contents.length === 0) return html``;
  return html`<ul class="places">${contents.map(
    ({
      id,
      title,
      method,
    }) => html`<li><a href="#${id}">${method === undefined ? '' : html`<span class="method ${method}">${SHORT[method] ?? method.toUpperCase()}</span>`}${title}</a></li>
`,
  )}</ul>`;
}

const SHORT: Readonly<Record<string, string>> = { delete: 'DEL', patch: 'PATCH' };

function neighboursHtml(page: Page, { pages }: Frame): Html {
  const at = pages.indexOf(page);
  const [before, after] = [pages[at - 1], pages[at + 1]];
  if (at === -1) return html``;
  return html`<nav lang="en" class="neighbours" aria-label="Neighbouring pages">
${before === undefined ? '' : html`<a href="${before.path}" rel="prev"><small>Previous</small>${titleOf(before)}</a>`}
${after === undefined ? '' : html`<a href="${after.path}" rel="next"><small>Next</small>${titleOf(after)}</a>`}
</nav>`;
}

function titleOf(page: Page): Html {
  return page.lang === undefined ? html`${page.title}` : html`<span${langOf(page)}>${page.title}</span>`;
}
