import { answerOf, schemaOf } from './document.ts';
import { type Html, html, inline, prose } from './html.ts';
import type { Answer, MediaType, OpenApiDocument, Operation, Parameter } from './openapi.ts';
import { schemaTree, typeOf } from './page-schema.ts';

/** One operation of the page. */
export function operationHtml(
  document: OpenApiDocument,
  method: string,
  path: string,
  operation: Operation,
): Html {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  return html`<article id="${operationId}">
<h3><a class="anchor" href="#${operationId}">${summary}</a></h3>
<p class="route"><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code></p>
${description === undefined ? '' : prose(description)}
${parameters.length > 0 ? html`<h4>Parameters</h4>${parameterTable(parameters)}` : ''}
${requestBody === undefined ? '' : html`<h4>Body</h4>${Object.entries(requestBody.content).map(([type, body]) => bodyHtml(document, type, body))}`}
${(operation['x-codeSamples'] ?? []).map(({ source }) => html`<h4>Request</h4><pre><code>${source}</code></pre>`)}
<h4>Answers</h4>
${Object.entries(responses).map(([status, answer]) => answerHtml(document, status, answerOf(document, answer)))}
</article>
`;
}

function parameterTable(parameters: readonly Parameter[]): Html {
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

/** What a request carries is unfolded, named or not; what comes back is a link to its name. */
function bodyHtml(document: OpenApiDocument, type: string, body: MediaType): Html {
  return html`<p class="media"><code>${type}</code></p>
${schemaTree(schemaOf(document, body.schema), 'request')}`;
}

/** Success is open, refusals are folded. */
function answerHtml(document: OpenApiDocument, status: string, answer: Answer): Html {
  const failed = /^[45]/.test(status);
  const media = Object.entries(answer.content ?? {});
  return html`<details class="answer"${failed ? '' : html` open`}><summary><span class="status ${failed ? 'failed' : 'good'}">${status}</span> ${
    failed ? codesOf(media) : inline(answer.description)
  }</summary>
${failed ? prose(answer.description) : ''}${headersHtml(document, answer)}${failed ? '' : media.map(([type, content]) => contentHtml(type, content))}</details>
`;
}

function codesOf(media: readonly [string, MediaType][]): Html {
  const codes = media.flatMap(([, { examples }]) => Object.keys(examples ?? {}));
  return html`${codes.map((code, at) => html`${at > 0 ? ', ' : ''}<code>${code}</code>`)}`;
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

function contentHtml(type: string, { schema, example }: MediaType): Html {
  return html`<p class="media"><code>${type}</code></p>${schemaTree(schema, 'answer')}${
    example === undefined
      ? ''
      : html`<details><summary>Example</summary><pre><code>${JSON.stringify(example, null, 2)}</code></pre></details>`
  }`;
}
