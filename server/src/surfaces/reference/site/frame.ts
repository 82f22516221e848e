import { type Html, html } from '../html.ts';
import { ENGLISH, FRAME_WORDS, IN_SPANISH, type Language, SPANISH } from './menu.ts';
import { langOf, type Page } from './page.ts';

/** Menu, search and neighbours around every page. */
export interface Frame {
  readonly version: string;
  readonly pages: readonly Page[];
}

const ICON =
  'data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"%3E%3Cpath d="M8 1l7 7-7 7-7-7z" fill="%230f766e"/%3E%3C/svg%3E';

const IN_ENGLISH = Object.fromEntries(
  Object.entries(IN_SPANISH).map(([english, spanish]) => [spanish, english]),
);

/** No inline script or style, nothing external. */
export function framed(page: Page, frame: Frame): string {
  const lang = page.lang ?? 'en';
  const words = FRAME_WORDS[lang];
  const start = lang === 'es' ? '/docs/es' : '/docs';
  const groups = lang === 'es' ? SPANISH : ENGLISH;
  return html`<!doctype html>
<html lang="${lang}">
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
<a class="skip" href="#main">${words.skip}</a>
<header class="top">
<button type="button" class="menu" popovertarget="menu">${words.menu}</button>
<a class="brand" href="${start}"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M8 1l7 7-7 7-7-7z"/></svg>Acuse <span>${words.docs}</span></a>
<button type="button" class="find" data-search hidden><span>${words.search}</span> <kbd>/</kbd></button>
<nav class="elsewhere" aria-label="${words.elsewhere}"><a href="/verify">${words.verify}</a> ${otherLanguage(page)}</nav>
</header>
<div class="layout">
<nav id="menu" class="panel" popover aria-label="${words.documentation}">
${groups.map(({ title }) => sectionHtml(title, page, frame))}<p class="note">Acuse ${frame.version} · ${otherLanguage(page)}</p>
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

/** The same page in the other language, or that language's first page. */
function otherLanguage({ path, lang: own }: Page): Html {
  const lang: Language = own ?? 'en';
  const [other, places, start] =
    lang === 'es' ? (['en', IN_ENGLISH, '/docs'] as const) : (['es', IN_SPANISH, '/docs/es'] as const);
  return html`<a href="${places[path] ?? start}" lang="${other}" hreflang="${other}">${FRAME_WORDS[lang].other}</a>`;
}

function sectionHtml(section: string, page: Page, { pages }: Frame): Html {
  const shown = pages.filter((each) => each.section === section && inMenu(each, page));
  return html`<section><h2>${section}</h2>
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
  const own = pages.filter(({ lang }) => lang === page.lang);
  const at = own.indexOf(page);
  const [before, after] = [own[at - 1], own[at + 1]];
  if (at === -1) return html``;
  const words = FRAME_WORDS[page.lang ?? 'en'];
  return html`<nav class="neighbours" aria-label="${words.neighbours}">
${before === undefined ? '' : html`<a href="${before.path}" rel="prev"><small>${words.previous}</small>${before.title}</a>`}
${after === undefined ? '' : html`<a href="${after.path}" rel="next"><small>${words.next}</small>${after.title}</a>`}
</nav>`;
}
