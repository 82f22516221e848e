import { answerOf, schemaOf } from '../document.ts';
import { type Html, html, inline, prose } from '../html.ts';
import type { Answer, MediaType, OpenApiDocument, Operation, Parameter } from '../openapi.ts';
import { clientCodeOf, codeTabs } from './code-tabs.ts';
import { errorHref } from './page.ts';
import { jsonHtml, sample } from './samples.ts';
import { schemaTree, typeOf } from './schema-tree.ts';

export interface Placed {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export function operationsOf(document: OpenApiDocument): Placed[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
}

/** Description left, requests right. */
export function operationHtml(document: OpenApiDocument, { method, path, operation }: Placed): Html {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const answers = Object.entries(responses).map(
    ([status, answer]) => [status, answerOf(document, answer)] as const,
  );
  const runs = canRun({ method, path, operation }) && answers.some(isJson);
  return html`<article class="operation" id="${operationId}">
<div class="about">
<h2><a class="anchor" href="#${operationId}">${summary}</a></h2>
<p class="route"><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code></p>
${description === undefined ? '' : prose(description)}
${parameters.length > 0 ? html`<h3>Parameters</h3>${parameterList(parameters)}` : ''}
${requestBody === undefined ? '' : html`<h3>Body</h3>${Object.entries(requestBody.content).map(([type, body]) => bodyHtml(document, type, body))}`}
${answers.filter(isSuccess).map(([status, answer]) => answerHtml(document, status, answer))}
${refusalsHtml(answers.filter((each) => !isSuccess(each)))}
</div>
<div class="samples">
${codeTabs([...(operation['x-codeSamples'] ?? []).map(({ source }) => ({ lang: 'curl', source, runs })), ...clientCodeOf(operationId)])}
${answers.filter(isSuccess).map(([status, answer]) => answerSample(status, answer))}
</div>
</article>
`;
}

/** Reads that need no id, and a send: nothing that an account would have to clean up. */
function canRun({ method, path, operation }: Placed): boolean {
  if (operation.security.length === 0 || path.includes('{')) return false;
  return method === 'get' || operation.operationId === 'sendMessage';
}

function isJson([status, { content }]: readonly [string, Answer]): boolean {
  return /^2/.test(status) && content?.['application/json'] !== undefined;
}

function isSuccess([status]: readonly [string, Answer]): boolean {
  return !/^[45]/.test(status);
}

function parameterList(parameters: readonly Parameter[]): Html {
  return html`<ul class="fields">${parameters.map(
    (
      it,
    ) => html`<li><code class="name">${it.name}</code> <span class="type">${it.in} · ${typeOf(it.schema)}</span>${
      it.required ? html` <span class="required">required</span>` : ''
    }${it.schema['default'] === undefined ? '' : html` <span class="limits">default ${String(it.schema['default'])}</span>`}
${it.description === undefined ? '' : html`<div class="note">${inline(it.description)}</div>`}</li>
`,
  )}</ul>`;
}

function bodyHtml(document: OpenApiDocument, type: string, { schema }: MediaType): Html {
  return html`<p class="media"><code>${type}</code></p>
${schemaTree(schemaOf(document, schema), { marking: 'request', document })}`;
}

/** Top-level fields open; named ones are links. */
function answerHtml(document: OpenApiDocument, status: string, answer: Answer): Html {
  return html`<h3>Answer <span class="status good">${status}</span></h3>
<p>${inline(answer.description)}</p>
${headersHtml(document, answer)}${Object.entries(answer.content ?? {}).map(([type, { schema }]) => answerFields(document, type, schema))}`;
}

function answerFields(document: OpenApiDocument, type: string, schema: MediaType['schema']): Html {
  const whole = schemaOf(document, schema);
  const named = schema === whole ? null : typeOf(schema);
  return html`<p class="media"><code>${type}</code>${named === null ? '' : html` · ${named}`}</p>
<details><summary>Fields</summary>${schemaTree(whole, { marking: 'answer', document })}</details>`;
}

const EVERYWHERE = new Set(['Request-Id', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']);

function headersHtml(document: OpenApiDocument, answer: Answer): Html {
  const own = Object.entries(answer.headers ?? {}).filter(([name]) => !EVERYWHERE.has(name));
  if (own.length === 0) return html``;
  return html`<p class="note">Headers: ${own.map(([name, header], at) => {
    const { description } = (document.components.headers[name] ?? header) as { description?: string };
    return html`${at > 0 ? '; ' : ''}<code>${name}</code>${description === undefined ? '' : html` (${inline(description.replace(/\.$/, ''))})`}`;
  })}</p>`;
}

function refusalsHtml(answers: readonly (readonly [string, Answer])[]): Html {
  if (answers.length === 0) return html``;
  return html`<h3>Errors</h3>
<ul class="refusals">${answers.map(
    ([status, answer]) => html`<li><span class="status failed">${status}</span> ${codesOf(answer).map(
      (code) => html`<a href="${errorHref(code)}"><code>${code}</code></a> `,
    )}</li>
`,
  )}</ul>`;
}

export function codesOf(answer: Answer): string[] {
  return Object.values(answer.content ?? {}).flatMap(({ examples }) => Object.keys(examples ?? {}));
}

function answerSample(status: string, answer: Answer): Html {
  return html`${Object.entries(answer.content ?? {}).map(([, { example }]) =>
    example === undefined ? '' : sample(`Answer ${status}`, jsonHtml(example)),
  )}`;
}
