/**
 * Links and remote addresses of an HTML text, read by its tokens: in time proportional to its length, however
 * deep it is nested. htmlparser2's tokens alone, because its parser walks the open elements for each tag.
 */
import { Tokenizer } from 'htmlparser2';
import { readCss } from './css-references.ts';
import { type Findings, targetOf, URL_MAX_CHARS } from './link-target.ts';

/** Attributes that name what is fetched to show the message, on any element. */
const FETCHED = new Set(['src', 'background', 'poster', 'data']);
const FETCHED_LISTS = new Set(['srcset', 'imagesrcset']);
/** Attributes that hold what a click opens, by element. */
const LINKED: Readonly<Record<string, readonly string[]>> = {
  a: ['href', 'xlink:href'],
  area: ['href'],
  form: ['action'],
  button: ['formaction'],
  input: ['formaction'],
};
/** Where href is fetched instead. */
const HREF_FETCHED = new Set(['link', 'image', 'use', 'feimage']);
const OTHERS = ['href', 'xlink:href', 'action', 'formaction', 'style', 'content', 'alt'];
const READ = new Set([...FETCHED, ...FETCHED_LISTS, ...OTHERS]);
/** Their text is not shown as such. */
const UNSEEN = new Set(['script', 'style', 'title', 'textarea']);
/** Characters of a style sheet or of an attribute that are kept. */
const KEPT_MAX_CHARS = 65_536;
/** Characters of the words of a link. */
const WORDS_MAX_CHARS = 1_000;

interface OpenLink {
  readonly url: string;
  words: string;
}

export function readHtml(html: string, findings: Findings): void {
  const reader = new HtmlReader(html, findings);
  const tokenizer = new Tokenizer({ decodeEntities: true }, reader);
  reader.stop = () => tokenizer.pause();
  tokenizer.write(html);
  tokenizer.end();
  reader.closeLink();
}

class HtmlReader {
  stop = () => {};
  readonly #html: string;
  readonly #findings: Findings;
  #base: string | null = null;
  #tag = '';
  #attribute = '';
  #value = '';
  #seen = new Set<string>();
  #link: OpenLink | null = null;
  /** The open element whose text is not shown. */
  #unseen: string | null = null;
  #css = '';

  constructor(html: string, findings: Findings) {
    this.#html = html;
    this.#findings = findings;
  }

  onopentagname(start: number, end: number): void {
    this.#tag = this.#nameAt(start, end);
    this.#seen.clear();
    if (this.#tag === 'a') this.closeLink();
    if (UNSEEN.has(this.#tag)) this.#unseen = this.#tag;
  }

  onattribname(start: number, end: number): void {
    const name = this.#nameAt(start, end);
    // The first of a name counts. HTML Standard, "duplicate-attribute"
    this.#attribute = READ.has(name) && !this.#seen.has(name) ? name : '';
    this.#value = '';
  }

  onattribdata(start: number, end: number): void {
    if (this.#attribute === '' || this.#value.length >= KEPT_MAX_CHARS) return;
    this.#value += this.#html.slice(start, Math.min(end, start + KEPT_MAX_CHARS));
  }

  onattribentity(codePoint: number): void {
    if (this.#attribute !== '' && this.#value.length < KEPT_MAX_CHARS)
      this.#value += String.fromCodePoint(codePoint);
  }

  onattribend(): void {
    if (this.#attribute === '') return;
    this.#seen.add(this.#attribute);
    this.#read(this.#attribute, this.#value);
    this.#attribute = '';
    if (this.#findings.full) this.stop();
  }

  ontext(start: number, end: number): void {
    if (this.#unseen === 'style') this.#css += this.#html.slice(start, this.#upTo(end, start, this.#css));
    else if (this.#unseen === null && this.#link !== null)
      this.#addWords(this.#html.slice(start, Math.min(end, start + WORDS_MAX_CHARS)));
  }

  ontextentity(codePoint: number): void {
    if (this.#unseen === null) this.#addWords(String.fromCodePoint(codePoint));
  }

  onclosetag(start: number, end: number): void {
    const name = this.#nameAt(start, end);
    if (name === 'a') this.closeLink();
    if (name !== this.#unseen) return;
    this.#unseen = null;
    if (name !== 'style') return;
    readCss(this.#css, (url) => this.#fetched(url));
    this.#css = '';
  }

  onselfclosingtag(): void {}
  onopentagend(): void {}
  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {
    if (this.#unseen === 'style') readCss(this.#css, (url) => this.#fetched(url));
  }

  /** A link ends where the next begins, too: there are none inside others. */
  closeLink(): void {
    if (this.#link !== null) this.#findings.link(this.#link.url, this.#link.words.replace(/\s+/g, ' '));
    this.#link = null;
  }

  #read(attribute: string, value: string): void {
    const tag = this.#tag;
    const isHref = attribute === 'href' || attribute === 'xlink:href';
    if (attribute === 'style') readCss(value, (url) => this.#fetched(url));
    else if (attribute === 'alt') this.#addWords(` ${value} `);
    else if (attribute === 'content' && tag === 'meta') this.#refresh(value);
    else if (attribute === 'href' && tag === 'base') this.#setBase(value);
    else if (LINKED[tag]?.includes(attribute)) this.#linked(value);
    else if (FETCHED_LISTS.has(attribute)) this.#fetchedList(value);
    else if (FETCHED.has(attribute) || (isHref && HREF_FETCHED.has(tag))) this.#fetched(value);
  }

  #linked(value: string): void {
    const url = targetOf(value, this.#base);
    if (url === null) return;
    if (this.#tag === 'a') this.#link = { url, words: '' };
    else this.#findings.link(url, '');
  }

  #fetched(value: string): void {
    const url = targetOf(value, this.#base);
    if (url !== null && /^https?:/i.test(url)) this.#findings.remote(url);
  }

  /** `address width, address width`. HTML Standard, "srcset" */
  #fetchedList(value: string): void {
    for (const candidate of value.split(/,\s/)) {
      const [address = ''] = candidate.trim().split(/\s/, 1);
      this.#fetched(address);
    }
  }

  /** `5; url=address`: opened without a click. */
  #refresh(value: string): void {
    const text = value.slice(0, URL_MAX_CHARS);
    const at = text.toLowerCase().indexOf('url=');
    if (at < 0) return;
    const url = targetOf(text.slice(at + 4).replace(/^\s*['"]|['"]\s*$/g, ''), this.#base);
    if (url !== null) this.#findings.link(url, '');
  }

  #setBase(value: string): void {
    if (this.#base !== null) return;
    const url = targetOf(value, null);
    if (url !== null && URL.canParse(url)) this.#base = url;
  }

  #addWords(words: string): void {
    if (this.#link !== null && this.#link.words.length < WORDS_MAX_CHARS) this.#link.words += words;
  }

  #nameAt(start: number, end: number): string {
    // No wanted name is longer.
    return this.#html.slice(start, Math.min(end, start + NAME_MAX_CHARS)).toLowerCase();
  }

  #upTo(end: number, start: number, kept: string): number {
    return Math.min(end, start + Math.max(0, KEPT_MAX_CHARS - kept.length));
  }
}

const NAME_MAX_CHARS = 20;
