/**
 * The HTML of a message as a page that shows it and does nothing else: written again token by token, from
 * elements and attributes that can only show something. The policy of the answer that carries it forbids
 * everything too; this is for what no policy forbids, such as the connection that `<link rel=preconnect>`
 * opens. Takes time in proportion to the length of the text.
 */
import { Tokenizer } from 'htmlparser2';

export interface PreviewOptions {
  /** True: images at https addresses stay. */
  readonly images: boolean;
  /** The `data:` address of the part with this Content-ID; null for none. */
  inline(contentId: string): string | null;
}

/** Characters of HTML that are shown; mail programs cut off long before. */
export const PREVIEW_MAX_CHARS = 4 * 1024 * 1024;

const SHOWN = new Set(
  `a abbr acronym address area article aside b bdi bdo big blockquote body br caption center cite code col
  colgroup dd del details dfn dir div dl dt em fieldset figcaption figure font footer h1 h2 h3 h4 h5 h6 header
  hr i img ins kbd label legend li main map mark nav ol p pre q rp rt ruby s samp section small span strike
  strong style sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr`.split(/\s+/),
);
/** Neither they nor what is in them is shown; other unknown elements are left out and their content stays. */
const HIDDEN = new Set(
  `script title template iframe frameset noframes noembed object applet audio video canvas select textarea
  xmp plaintext`.split(/\s+/),
);
const ATTRIBUTES = new Set(
  `abbr align alt bgcolor border cellpadding cellspacing class clear color colspan dir face headers height
  hspace id lang name nowrap open role rowspan scope shape size span start style title type valign value
  vspace width`.split(/\s+/),
);
/** Their values are addresses of images. */
const IMAGES = new Set(['src', 'background']);

export function previewHtml(html: string, options: PreviewOptions): string {
  const text = html.slice(0, PREVIEW_MAX_CHARS);
  const writer = new PreviewWriter(text, options);
  const tokenizer = new Tokenizer({ decodeEntities: true }, writer);
  tokenizer.write(text);
  tokenizer.end();
  return writer.written();
}

class PreviewWriter {
  readonly #html: string;
  readonly #options: PreviewOptions;
  readonly #out: string[] = [];
  #tag = '';
  #attributes = new Map<string, string>();
  #name = '';
  #value = '';
  /** The element that hides what comes, and that is left by its own end tag alone. */
  #hidden: string | null = null;
  #css: string | null = null;

  constructor(html: string, options: PreviewOptions) {
    this.#html = html;
    this.#options = options;
  }

  written(): string {
    this.#endCss();
    return this.#out.join('');
  }

  onopentagname(start: number, end: number): void {
    this.#tag = this.#html.slice(start, end).toLowerCase();
    this.#attributes = new Map();
  }

  onattribname(start: number, end: number): void {
    this.#name = this.#html.slice(start, end).toLowerCase();
    this.#value = '';
  }

  onattribdata(start: number, end: number): void {
    this.#value += this.#html.slice(start, end);
  }

  onattribentity(codePoint: number): void {
    this.#value += String.fromCodePoint(codePoint);
  }

  onattribend(): void {
    // The first of a name counts. HTML Standard, "duplicate-attribute"
    if (!this.#attributes.has(this.#name)) this.#attributes.set(this.#name, this.#value);
  }

  onopentagend(): void {
    const tag = this.#tag;
    if (this.#hidden !== null) return;
    if (HIDDEN.has(tag)) this.#hidden = tag;
    else if (tag === 'style') this.#css = '';
    else if (SHOWN.has(tag)) this.#out.push(`<${tag}${this.#attributesOf(tag)}>`);
  }

  onselfclosingtag(): void {
    this.onopentagend();
  }

  onclosetag(start: number, end: number): void {
    const tag = this.#html.slice(start, end).toLowerCase();
    if (this.#hidden !== null) {
      if (this.#hidden === tag) this.#hidden = null;
    } else if (tag === 'style') this.#endCss();
    else if (SHOWN.has(tag)) this.#out.push(`</${tag}>`);
  }

  ontext(start: number, end: number): void {
    if (this.#hidden !== null) return;
    const text = this.#html.slice(start, end);
    if (this.#css === null) this.#out.push(escapeHtml(text));
    else this.#css += text;
  }

  ontextentity(codePoint: number): void {
    if (this.#hidden === null && this.#css === null)
      this.#out.push(escapeHtml(String.fromCodePoint(codePoint)));
  }

  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}

  #attributesOf(tag: string): string {
    const kept: string[] = [];
    const keep = (name: string, value: string) => kept.push(` ${name}="${escapeHtml(value)}"`);
    for (const [name, value] of this.#attributes) {
      if (name === 'style') keep(name, this.#cssOf(value));
      else if (IMAGES.has(name)) {
        const address = this.#addressOf(value);
        if (address !== null) keep(name, address);
      } else if (ATTRIBUTES.has(name) || /^aria-[a-z]{1,20}$/.test(name)) keep(name, value);
    }
    const target = tag === 'a' || tag === 'area' ? this.#attributes.get('href')?.trim() : undefined;
    if (target === undefined) return kept.join('');
    // Links are dead here, and say where they lead.
    keep('href', target.startsWith('#') ? target : '#');
    if (!target.startsWith('#') && !this.#attributes.has('title')) keep('title', target);
    return kept.join('');
  }

  /** Address of an image that may be shown; null for any other. */
  #addressOf(value: string): string | null {
    const address = value.trim();
    if (/^cid:/i.test(address)) return this.#options.inline(decoded(address.slice('cid:'.length)));
    if (/^data:image\//i.test(address)) return address;
    return this.#options.images && /^https:\/\//i.test(address) ? address : null;
  }

  #endCss(): void {
    if (this.#css === null) return;
    // Nothing of CSS that shows something needs a `<`, and without one no end tag can be in it.
    this.#out.push(`<style>${this.#cssOf(this.#css).replaceAll('<', '')}</style>`);
    this.#css = null;
  }

  /** With the addresses of images that may be shown, and no others. */
  #cssOf(css: string): string {
    const text = css.replace(/@import/gi, '@none');
    const lower = text.toLowerCase();
    const out: string[] = [];
    let at = 0;
    for (;;) {
      const start = lower.indexOf('url(', at);
      const end = start < 0 ? -1 : text.indexOf(')', start);
      if (start < 0) return out.join('') + text.slice(at);
      out.push(text.slice(at, start));
      // An unclosed one reaches to the end.
      if (end < 0) return out.join('');
      const address = this.#addressOf(unquoted(text.slice(start + 'url('.length, end)));
      out.push(address === null ? 'none' : `url("${address.replace(/["\\\n]/g, '')}")`);
      at = end + 1;
    }
  }
}

function unquoted(text: string): string {
  return text.trim().replace(/^["']|["']$/g, '');
}

/** As it stands where it is not percent-encoded text. RFC 2392 §2 */
function decoded(contentId: string): string {
  try {
    return decodeURIComponent(contentId);
  } catch {
    return contentId;
  }
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character]!).replaceAll('\0', '');
}
