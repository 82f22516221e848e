import { type Html, html, raw } from '../html.ts';

/** A published site has no portal, and leaves it out (app/describe-api.ts). */
export const RUNS = ' data-run';

/** The page's script adds a copy button, and a run button if it `runs`. */
export function sample(title: string, code: Html | string, runs = false): Html {
  return html`<figure class="sample"${runs ? raw(RUNS) : ''}><figcaption>${title}</figcaption><pre><code>${code}</code></pre></figure>
`;
}

/** With syntax marks. */
export function jsonHtml(value: unknown, indent = ''): Html {
  if (Array.isArray(value))
    return block(
      '[',
      value.map((each) => jsonHtml(each, `${indent}  `)),
      ']',
      indent,
    );
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).map(
      ([name, each]) =>
        html`<span class="k">${JSON.stringify(name)}</span>: ${jsonHtml(each, `${indent}  `)}`,
    );
    return block('{', fields, '}', indent);
  }
  return html`<span class="${typeof value === 'string' ? 's' : 'v'}">${JSON.stringify(value)}</span>`;
}

function block(open: string, items: readonly Html[], close: string, indent: string): Html {
  if (items.length === 0) return html`${open}${close}`;
  return html`${open}${items.map((item, at) => html`${at === 0 ? '' : ','}\n${indent}  ${item}`)}\n${indent}${close}`;
}
