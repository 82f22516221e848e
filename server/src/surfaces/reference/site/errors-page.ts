import type { Tokens } from 'marked';
import { API_ERRORS, type ApiErrorCode } from '../../../errors.ts';
import { answerOf } from '../document.ts';
import { type Html, html, inline } from '../html.ts';
import type { OpenApiDocument } from '../openapi.ts';
import { ERRORS_PAGE, entriesOf, readGuide } from './guides.ts';
import { proseHtml, type ResolveLink, renderTokens, rowsOf, tokensOf } from './markdown.ts';
import { codesOf, operationsOf } from './operation.ts';
import { errorHref, operationHref, type Page } from './page.ts';

/** docs/errors.md with each table row as a section, and its operations. */
export function errorsPage(document: OpenApiDocument, resolve: ResolveLink): Page {
  const tokens = tokensOf(readGuide(ERRORS_PAGE));
  const at = tokens.findIndex((token) => token.type === 'table');
  const table = tokens[at] as Tokens.Table;
  const [before, after] = [tokens.slice(0, at), tokens.slice(at + 1)].map((part) =>
    renderTokens(part, resolve),
  );
  const answeredBy = operationsByCode(document);
  const rows = rowsOf(table, resolve).map((row) => ({ row, code: row['Code']!.text as ApiErrorCode }));
  return {
    path: '/docs/errors',
    title: before!.title,
    lead: 'Every error code with its status, what it means and how to fix the request.',
    section: 'Reference',
    contents: [{ id: 'codes', title: 'Codes' }, ...after!.contents],
    entries: [
      ...rows.map(({ row, code }) => ({
        href: errorHref(code),
        title: code,
        kind: 'Error' as const,
        text: `${row['Status']!.text} ${row['Meaning']!.text} ${row['Fix']!.text}`,
      })),
      ...entriesOf({ ...after!, title: before!.title }, '/docs/errors', 'Guide'),
    ],
    body: html`${proseHtml(before!.html)}
<h2 id="codes"><a class="anchor" href="#codes">Codes</a></h2>
${rows.map(({ row, code }) => errorHtml(code, row, answeredBy.get(code) ?? []))}
${proseHtml(after!.html)}`,
  };
}

type Row = ReturnType<typeof rowsOf>[number];
interface Answering {
  readonly href: string;
  readonly summary: string;
}

function errorHtml(code: ApiErrorCode, row: Row, operations: readonly Answering[]): Html {
  return html`<article class="error" id="${code}">
<h3><span class="status failed">${API_ERRORS[code].status}</span> <a class="anchor" href="#${code}"><code>${code}</code></a></h3>
<p>${row['Meaning']!.html}</p>
<p><strong>Fix.</strong> ${row['Fix']!.html}</p>
<p class="note">Says: “${inline(API_ERRORS[code].message)}”</p>
${
  operations.length === 0
    ? ''
    : html`<details><summary>Answered by ${operations.length === 1 ? '1 operation' : `${operations.length} operations`}</summary>
<ul>${operations.map(({ href, summary }) => html`<li><a href="${href}">${summary}</a></li>`)}</ul></details>`
}</article>
`;
}

function operationsByCode(document: OpenApiDocument): Map<string, Answering[]> {
  const found = new Map<string, Answering[]>();
  for (const { operation } of operationsOf(document)) {
    const { operationId, summary, tags, responses } = operation;
    const codes = Object.values(responses).flatMap((answer) => codesOf(answerOf(document, answer)));
    for (const code of new Set(codes))
      found.set(code, [...(found.get(code) ?? []), { href: operationHref(tags[0]!, operationId), summary }]);
  }
  return found;
}
