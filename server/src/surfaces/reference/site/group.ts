import { html, inline, prose } from '../html.ts';
import type { OpenApiDocument } from '../openapi.ts';
import { operationHtml, operationsOf, type Placed } from './operation.ts';
import { groupPath, operationHref, type Page, type SearchEntry } from './page.ts';

export function groupPages(document: OpenApiDocument): Page[] {
  const placed = operationsOf(document);
  return document.tags.map(({ name, description }) => {
    const operations = placed.filter(({ operation }) => operation.tags[0] === name);
    return {
      path: groupPath(name),
      title: name,
      lead: description,
      section: 'API' as const,
      contents: operations.map(({ method, operation }) => ({
        id: operation.operationId,
        title: operation.summary,
        method,
      })),
      entries: operations.map((each) => entryOf(name, each)),
      body: html`<h1>${name}</h1>
<div class="lead">${prose(description)}</div>
<ul class="routes">${operations.map(
        ({
          method,
          path,
          operation,
        }) => html`<li><a href="#${operation.operationId}"><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code></a> <span class="note">${operation.summary}</span></li>
`,
      )}</ul>
${operations.map((each) => operationHtml(document, each))}`,
    };
  });
}

/** Found by title, route and fields. */
function entryOf(tag: string, { method, path, operation }: Placed): SearchEntry {
  const { operationId, summary, description = '', parameters = [], requestBody } = operation;
  const bodies = Object.values(requestBody?.content ?? {}).map(({ example }) =>
    JSON.stringify(example ?? ''),
  );
  return {
    href: operationHref(tag, operationId),
    title: summary,
    kind: 'Operation',
    text: [`${method.toUpperCase()} ${path}`, operationId, description, ...parameters.map(({ name }) => name)]
      .concat(bodies)
      .join(' '),
  };
}

/** The document's own introduction. */
export function overviewPage(document: OpenApiDocument, publicUrl: string): Page {
  const path = '/docs/api';
  const rules = document.info.description.split(/\n{2,}/).map((text) => {
    const title = /^\*\*([^*]+)\*\*/.exec(text)?.[1]?.replace(/\.$/, '');
    return { text, title, id: title?.toLowerCase().replaceAll(' ', '-') };
  });
  const named = rules.flatMap(({ id, title, text }) =>
    id === undefined || title === undefined ? [] : [{ id, title, text }],
  );
  return {
    path,
    title: 'Conventions',
    lead: 'Keys, bodies, retries, errors, lists and rate limits: what holds for every operation.',
    section: 'API',
    contents: named.map(({ id, title }) => ({ id, title })),
    entries: named.map(({ id, title, text }) => ({ href: `${path}#${id}`, title, kind: 'Guide', text })),
    body: html`<h1>API conventions</h1>
<div class="lead"><p>What holds for every operation. The whole contract is <a href="/openapi.json">openapi.json</a>
(OpenAPI 3.1); <a href="/llms.txt">llms.txt</a> is its short form for programs that read.</p></div>
<div class="prose"><p>Address of this installation: <code>${publicUrl}</code></p>
${rules.map(
  ({ id, text }) => html`<p${id === undefined ? '' : html` id="${id}"`}>${inline(text)}</p>
`,
)}</div>`,
  };
}
