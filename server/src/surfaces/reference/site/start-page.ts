import { type Html, html } from '../html.ts';
import type { OpenApiDocument } from '../openapi.ts';
import { codeTabs, firstRequests } from './code-tabs.ts';
import { ENGLISH, SPANISH } from './menu.ts';
import { groupPath, type Page } from './page.ts';
import { sample } from './samples.ts';

export function startPage(document: OpenApiDocument, publicUrl: string, guides: readonly Page[]): Page {
  return {
    path: '/docs',
    title: 'Overview',
    lead: 'Transactional email with evidence: send through an API or SMTP, prove later what was sent and when.',
    section: 'Start',
    contents: [],
    entries: [],
    body: html`<h1>Acuse</h1>
<div class="lead"><p>Transactional email with evidence. Send through a JSON API or SMTP; a certified message is sealed in a
Merkle log under an RFC 3161 time-stamp, and anyone can check years later what was sent, when, and what the
receiving server answered.</p></div>
<div class="prose"><h2 id="first-request"><a class="anchor" href="#first-request">The first request</a></h2>
<p>The examples use two variables: the address of this installation, and an API key of yours.</p></div>
${sample('Shell', `export ACUSE_URL=${publicUrl} ACUSE_API_KEY=acuse_…`)}
${codeTabs([{ lang: 'curl', source: FIRST_REQUEST, runs: true }, ...firstRequests()])}
<div class="prose"><p>201 means that the message is committed to disk. The same <code>Idempotency-Key</code> again answers 200 and
sends nothing. The <a href="/docs/clients">client libraries</a> read <code>ACUSE_URL</code> and
<code>ACUSE_API_KEY</code>; in the reference, each call is shown with all of them, after these first lines.
<a href="/docs/quick-start">Quick start</a> goes from here to a verified proof.</p></div>
${ENGLISH.filter(({ title }) => title !== 'API').map((group) => cardsOf(group.title, guides))}
<h2 id="operations"><a class="anchor" href="#operations">API</a></h2>
${cards(document.tags.map(({ name, description }) => ({ path: groupPath(name), title: name, text: description })))}`,
  };
}

export function spanishStartPage(guides: readonly Page[]): Page {
  return {
    path: '/docs/es',
    title: 'Documentación',
    lead: 'Correo transaccional con evidencia: envíe por API o SMTP y demuestre después qué se envió y cuándo.',
    section: 'Empezar',
    lang: 'es',
    contents: [],
    entries: [],
    body: html`<h1>Acuse</h1>
<div class="lead"><p>Correo transaccional con evidencia. Se envía por una API JSON o por SMTP; un mensaje certificado se
sella en un registro de Merkle con una constancia, y cualquiera puede comprobar años después qué se envió, cuándo
y qué contestó el servidor del destinatario.</p></div>
${SPANISH.map((group) => cardsOf(group.title, guides))}
<h2 id="ingles"><a class="anchor" href="#ingles">En inglés</a></h2>
<div class="prose"><p>La referencia de la <a href="/docs/api">API</a>, las <a href="/docs/clients">bibliotecas</a> para siete
lenguajes, los <a href="/docs/limits">límites</a> y la operación del servicio están en
<a href="/docs">la documentación en inglés</a>.</p></div>`,
  };
}

function cardsOf(group: string, pages: readonly Page[]): Html {
  const own = pages.filter(({ section }) => section === group);
  const id = group.toLowerCase();
  return html`<h2 id="${id}"><a class="anchor" href="#${id}">${group}</a></h2>
${cards(own.map(({ path, title, lead }) => ({ path, title, text: lead })))}
`;
}

const FIRST_REQUEST = `curl -sS "$ACUSE_URL/v1/messages" \\
  -H "Authorization: Bearer $ACUSE_API_KEY" \\
  -H 'Idempotency-Key: first-1' \\
  -H 'Content-Type: application/json' \\
  -d '{
  "from": "Billing <billing@sandbox.test>",
  "to": "delivered@sandbox.test",
  "subject": "Invoice 1",
  "text": "Hello."
}'`;

interface Card extends Pick<Page, 'path' | 'title'> {
  readonly text: string;
}

function cards(all: readonly Card[]): Html {
  return html`<ul class="cards">${all.map(
    ({ path, title, text }) => html`<li><a href="${path}">${title}</a><p>${text}</p></li>
`,
  )}</ul>`;
}
