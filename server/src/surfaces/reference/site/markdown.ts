import { Marked, type Token, type Tokens } from 'marked';
import { escapeHtml, type Html, html, raw } from '../html.ts';
import type { Place } from './page.ts';
import { sample } from './samples.ts';

export interface Rendered {
  readonly title: string;
  /** The first paragraph, as plain text. */
  readonly lead: string;
  readonly html: Html;
  readonly contents: readonly Place[];
  /** For search. */
  readonly sections: readonly Section[];
}

export interface Section extends Place {
  readonly text: string;
}

/** Null: only the text is shown. */
export type ResolveLink = (target: string) => string | null;

const LINKED_CODE = /^(?:docs\/[\w/.-]+|\/(?:docs|verify|openapi\.json|llms\.txt))$/;
/** Source locations, useless on the site. */
const INTERNAL_COLUMNS = new Set(['Constant']);

export function tokensOf(markdown: string): Token[] {
  return new Marked().lexer(markdown);
}

/** Our own pages; HTML is escaped all the same. */
export function renderTokens(tokens: readonly Token[], resolve: ResolveLink): Rendered {
  const idOf = slugs(tokens);
  const marked = new Marked({ renderer: rendererOf(resolve, idOf) });
  const headings = tokens.filter((token): token is Tokens.Heading => token.type === 'heading');
  return {
    title: textOf(headings.find(({ depth }) => depth === 1)),
    lead: textOf(tokens.find(({ type }) => type === 'paragraph')),
    html: raw(marked.parser(tokens as Token[])),
    contents: headings
      .filter(({ depth }) => depth === 2)
      .map((token) => ({ id: idOf(token), title: textOf(token) })),
    sections: sectionsOf(tokens, idOf),
  };
}

const row = (cells: string) => `<tr role="row">${cells}</tr>`;

function rendererOf(resolve: ResolveLink, idOf: (heading: Tokens.Heading) => string) {
  const linked = (text: string, target: string) => {
    const href = resolve(target);
    return href === null ? text : `<a href="${escapeHtml(href)}">${text}</a>`;
  };
  return {
    heading(this: Parser, token: Tokens.Heading): string {
      const inner = this.parser.parseInline(token.tokens).replace(/<\/?a(?: [^<>]*)?>/g, '');
      if (token.depth === 1) return `<h1>${inner}</h1>\n`;
      const id = escapeHtml(idOf(token));
      return `<h${token.depth} id="${id}"><a class="anchor" href="#${id}">${inner}</a></h${token.depth}>\n`;
    },
    code: ({ text, lang = '' }: Tokens.Code): string => sample(LANGUAGES[lang] ?? lang, text).text,
    table(this: Parser, { header, rows }: Tokens.Table): string {
      const kept = header.flatMap(({ text }, at) => (INTERNAL_COLUMNS.has(text) ? [] : [at]));
      const heads = kept.map((at) => header[at]!);
      const head = heads
        .map(({ tokens }) => `<th scope="col" role="columnheader">${this.parser.parseInline(tokens)}</th>`)
        .join('');
      // The first cell heads its row.
      const cell = ({ tokens }: Tokens.TableCell, at: number) => {
        const content = this.parser.parseInline(tokens);
        return at === 0
          ? `<th scope="row" role="rowheader">${content}</th>`
          : `<td role="cell" data-head="${escapeHtml(heads[at]!.text)}">${content}</td>`;
      };
      const body = rows.map((cells) => row(kept.map((at, to) => cell(cells[at]!, to)).join('')));
      // Explicit roles: card layout on small screens removes them.
      const group = (name: string, content: string) => `<${name} role="rowgroup">${content}</${name}>`;
      const content = group('thead', row(head)) + group('tbody', body.join('\n'));
      return `<div class="wide"><table role="table">${content}</table></div>\n`;
    },
    link(this: Parser, { href, tokens }: Tokens.Link): string {
      return linked(this.parser.parseInline(tokens), href);
    },
    codespan({ text }: Tokens.Codespan): string {
      const code = `<code>${escapeHtml(text)}</code>`;
      return LINKED_CODE.test(text) ? linked(code, text) : code;
    },
    text(this: Parser, token: Tokens.Text | Tokens.Escape): string {
      if ('tokens' in token && token.tokens !== undefined) return this.parser.parseInline(token.tokens);
      return token.text
        .split(/(docs\/decisions\/\d{4})/)
        .map((part, at) => (at % 2 === 1 ? linked(part, part) : escapeHtml(part)))
        .join('');
    },
    html: ({ text }: Tokens.HTML | Tokens.Tag): string => (text.startsWith('<!--') ? '' : escapeHtml(text)),
    image: ({ text }: Tokens.Image): string => escapeHtml(text),
  };
}

/** `this` of a renderer of marked. */
interface Parser {
  parser: { parseInline(tokens: Token[]): string };
}

const LANGUAGES: Readonly<Record<string, string>> = {
  '': 'Text',
  text: 'Text',
  sh: 'Shell',
  json: 'JSON',
  js: 'Node.js',
  python: 'Python',
  http: 'HTTP',
};

/** As GitHub makes them. */
function slugs(tokens: readonly Token[]): (heading: Tokens.Heading) => string {
  const ids = new Map<Token, string>();
  const seen = new Map<string, number>();
  for (const token of tokens) {
    if (token.type !== 'heading') continue;
    const slug = textOf(token)
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    ids.set(token, count === 0 ? slug : `${slug}-${count}`);
  }
  return (heading) => ids.get(heading) ?? '';
}

function sectionsOf(tokens: readonly Token[], idOf: (heading: Tokens.Heading) => string): Section[] {
  const sections: (Place & { words: string[] })[] = [];
  for (const token of tokens) {
    if (token.type === 'heading' && (token as Tokens.Heading).depth <= 3) {
      const heading = token as Tokens.Heading;
      sections.push({ id: heading.depth === 1 ? '' : idOf(heading), title: textOf(token), words: [] });
    } else sections.at(-1)?.words.push(textOf(token));
  }
  return sections.map(({ words, ...place }) => ({
    ...place,
    text: words.join(' ').replace(/\s+/g, ' ').trim(),
  }));
}

export function textOf(token: Token | undefined): string {
  if (token === undefined || token.type === 'html') return '';
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows].map((row) => row.map((cell) => textsOf(cell.tokens)).join(' ')).join(' ');
  }
  if (token.type === 'list') return (token as Tokens.List).items.map(textOf).join(' ');
  const { tokens, text } = token as { tokens?: Token[]; text?: string };
  return tokens === undefined ? (text ?? ' ') : textsOf(tokens);
}

function textsOf(tokens: readonly Token[]): string {
  return tokens.map(textOf).join('');
}

export function rowsOf(
  table: Tokens.Table,
  resolve: ResolveLink,
): Record<string, { text: string; html: Html }>[] {
  const marked = new Marked({ renderer: rendererOf(resolve, () => '') });
  return table.rows.map((row) =>
    Object.fromEntries(
      row.map((cell, at) => [
        table.header[at]!.text,
        { text: textsOf(cell.tokens), html: raw(marked.parseInline(cell.text) as string) },
      ]),
    ),
  );
}

export function proseHtml(body: Html): Html {
  return html`<div class="prose">${body}</div>`;
}
