import { API_ERRORS } from '../errors.ts';
import { type Html, html, inline, prose, raw } from './html.ts';
import type { OpenApiDocument, Operation } from './openapi.ts';
import { operationHtml } from './page-operation.ts';
import { schemaTree } from './page-schema.ts';
import { STYLE } from './page-style.ts';

interface Placed {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** The reference as one page that needs nothing else: no script, no other file. */
export function renderPage(document: OpenApiDocument, publicUrl: string): string {
  const placed = operationsOf(document);
  const sections = document.tags.map((tag) => ({
    ...tag,
    id: tag.name.toLowerCase().replaceAll(' ', '-'),
    operations: placed.filter(({ operation }) => operation.tags[0] === tag.name),
  }));
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Acuse API ${document.info.version}</title>
<link rel="alternate" type="application/json" href="/openapi.json">
<link rel="icon" href="data:,">
<style>${raw(STYLE)}</style>
</head>
<body>
<a class="skip" href="#start">Skip to the reference</a>
<div class="page">
<nav aria-label="Operations">
<strong>Acuse API</strong> ${document.info.version}<br>
<a href="/openapi.json">openapi.json</a> · <a href="/llms.txt">llms.txt</a>
${sections.map(
  ({ id, name, operations }) => html`<section><h2><a href="#${id}">${name}</a></h2>
<ul>${operations.map(({ method, operation }) => html`<li><a href="#${operation.operationId}"><span class="method ${method}">${method.toUpperCase()}</span> ${operation.summary}</a></li>`)}</ul></section>
`,
)}<section><h2>More</h2><ul><li><a href="#events">Events</a></li><li><a href="#errors">Errors</a></li><li><a href="#schemas">Schemas</a></li></ul></section>
</nav>
<main id="start">
<h1>Acuse API</h1>
${prose(document.info.description)}
<h4>To try the requests below</h4>
<pre><code>export ACUSE_URL=${publicUrl} ACUSE_KEY=acuse_…</code></pre>
${sections.map(
  ({ id, name, description, operations }) => html`<section><h2 id="${id}">${name}</h2>${prose(description)}
${operations.map(({ method, path, operation }) => operationHtml(document, method, path, operation))}</section>
`,
)}
${eventsHtml(document)}
${errorsHtml()}
${schemasHtml(document)}
</main>
</div>
</body>
</html>
`.text;
}

function operationsOf(document: OpenApiDocument): Placed[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
}

function eventsHtml(document: OpenApiDocument): Html {
  return html`<section><h2 id="events">Events</h2>
<p>What webhook endpoints are sent: an HTTPS POST, signed, the same body in every attempt.</p>
${Object.entries(document.webhooks).map(([type, { post }]) => {
  const body = post.requestBody!.content['application/json']!;
  return html`<article id="${type}"><h3><a class="anchor" href="#${type}">${type}</a></h3><p>${post.summary}.</p>${schemaTree(body.schema, 'answer')}
<details><summary>Example</summary><pre><code>${JSON.stringify(body.example, null, 2)}</code></pre></details></article>
`;
})}</section>`;
}

function errorsHtml(): Html {
  return html`<section><h2 id="errors">Errors</h2>
<div class="wide"><table><thead><tr><th>Status</th><th>Code</th><th>Message</th></tr></thead><tbody>
${Object.entries(API_ERRORS).map(
  ([
    code,
    { status, message },
  ]) => html`<tr><td>${status}</td><td><code>${code}</code></td><td>${inline(message)}</td></tr>
`,
)}</tbody></table></div></section>`;
}

function schemasHtml(document: OpenApiDocument): Html {
  return html`<section><h2 id="schemas">Schemas</h2>
${Object.entries(document.components.schemas).map(
  ([name, schema]) => html`<article id="schema-${name}"><h3>${name}</h3>${
    typeof schema['description'] === 'string' ? prose(schema['description']) : ''
  }${schemaTree(schema, 'answer')}</article>
`,
)}</section>`;
}
