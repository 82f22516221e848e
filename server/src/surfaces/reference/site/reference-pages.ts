import { html, prose } from '../html.ts';
import type { OpenApiDocument } from '../openapi.ts';
import { EVENT_SIGNATURE_NOTE } from '../webhook-operations.ts';
import { eventHref, type Page, schemaHref } from './page.ts';
import { jsonHtml, sample } from './samples.ts';
import { schemaTree } from './schema-tree.ts';

export function eventsPage(document: OpenApiDocument): Page {
  const events = Object.entries(document.webhooks).map(([type, { post }]) => ({ type, post }));
  return {
    path: '/docs/events',
    title: 'Webhook events',
    lead: 'What webhook endpoints are sent: an HTTPS POST, signed, the same body in every attempt.',
    section: 'Reference',
    contents: events.map(({ type }) => ({ id: type, title: type })),
    entries: events.map(({ type, post }) => ({
      href: eventHref(type),
      title: type,
      kind: 'Event',
      text: `${post.summary} ${Object.keys((example(post) as { data?: object }).data ?? {}).join(' ')}`,
    })),
    body: html`<h1>Webhook events</h1>
<div class="lead"><p>What webhook endpoints are sent: an HTTPS POST, signed, the same body in every attempt.</p></div>
<div class="prose">${prose(EVENT_SIGNATURE_NOTE)}
<p>How to receive them: <a href="/docs/webhooks">Webhooks</a>.</p></div>
${events.map(
  ({ type, post }) => html`<article class="operation" id="${type}">
<div class="about"><h2><a class="anchor" href="#${type}"><code>${type}</code></a></h2>
<p>${post.summary}.</p>${schemaTree(post.requestBody!.content['application/json']!.schema, { marking: 'answer', document })}</div>
<div class="samples">${sample('Body', jsonHtml(example(post)))}</div>
</article>
`,
)}`,
  };
}

type Post = OpenApiDocument['webhooks'][string]['post'];

function example({ requestBody }: Post): unknown {
  return requestBody!.content['application/json']!.example;
}

export function schemasPage(document: OpenApiDocument): Page {
  const schemas = Object.entries(document.components.schemas);
  return {
    path: '/docs/schemas',
    title: 'Schemas',
    lead: 'Every object of the API by its name, as clients made from the contract call it.',
    section: 'Reference',
    contents: [],
    entries: schemas.map(([name, schema]) => ({
      href: schemaHref(name),
      title: name,
      kind: 'Schema',
      text: `${schema['description'] ?? ''} ${Object.keys(schema['properties'] ?? {}).join(' ')}`,
    })),
    body: html`<h1>Schemas</h1>
<div class="lead"><p>Every object of the API by its name, as clients made from the contract call it.</p></div>
<ul class="names">${schemas.map(([name]) => html`<li><a href="#${name}">${name}</a></li>`)}</ul>
${schemas.map(
  ([
    name,
    schema,
  ]) => html`<article class="schema" id="${name}"><h2><a class="anchor" href="#${name}">${name}</a></h2>
${typeof schema['description'] === 'string' ? prose(schema['description']) : ''}${schemaTree(schema, { marking: 'answer', document })}</article>
`,
)}`,
  };
}
