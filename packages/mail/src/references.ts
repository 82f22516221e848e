/**
 * Where the text of a message leads: its links with the addresses that they open, and what a mail program
 * that shows remote content would fetch.
 */
import { readHtml } from './html-references.ts';
import { type Findings, targetOf, URL_MAX_CHARS } from './link-target.ts';

export interface Link {
  /** Index of the part that it is in. */
  readonly part: number;
  readonly url: string;
  /** The visible text of the link; empty for one without words. */
  readonly text: string;
}

export interface Remote {
  readonly part: number;
  readonly url: string;
}

export interface References {
  readonly links: readonly Link[];
  readonly remote: readonly Remote[];
  /** There is more than is listed here. */
  readonly truncated: boolean;
}

/** Links, and remote addresses, that are listed of one message; newsletters have some dozens. */
export const REFERENCES_MAX = 1_000;
/** Characters of text that are read for them, over all parts; mail programs show less. */
export const TEXT_READ_MAX_CHARS = 4_000_000;
/** Characters of what is seen of a link. */
const LINK_TEXT_MAX_CHARS = 200;

/** `text`: of a part that is shown, in Unicode. */
export interface TextPart {
  readonly index: number;
  readonly mediaType: string;
  readonly text: string;
}

export function findReferences(texts: readonly TextPart[]): References {
  const links = new Map<string, Link>();
  const remote = new Map<string, Remote>();
  let truncated = false;
  let left = TEXT_READ_MAX_CHARS;
  for (const { index: part, mediaType, text } of texts) {
    const add = <T>(found: Map<string, T>, key: string, value: T) => {
      if (found.has(key)) return;
      if (found.size === REFERENCES_MAX) truncated = true;
      else found.set(key, value);
    };
    const findings: Findings = {
      link(given, seen) {
        const url = given.slice(0, URL_MAX_CHARS);
        const words = seen.trim().slice(0, LINK_TEXT_MAX_CHARS).toWellFormed();
        add(links, `${part} ${url} ${words}`, { part, url, text: words });
      },
      remote(given) {
        const url = given.slice(0, URL_MAX_CHARS);
        add(remote, `${part} ${url}`, { part, url });
      },
      get full() {
        return truncated;
      },
    };
    truncated ||= text.length > left;
    const read = text.slice(0, left);
    left -= read.length;
    if (mediaType === 'text/html') readHtml(read, findings);
    else readPlain(read, findings);
  }
  return { links: [...links.values()], remote: [...remote.values()], truncated };
}

/** Addresses that mail programs make links of; what ends a sentence is not part of one. */
function readPlain(text: string, findings: Findings): void {
  for (const [found] of text.matchAll(/https?:\/\/[^\s<>"]+/gi)) {
    if (findings.full) return;
    const cut = found.slice(0, URL_MAX_CHARS);
    let end = cut.length;
    while (end > 0 && ".,;:!?)]}'".includes(cut[end - 1]!)) end--;
    const url = targetOf(cut.slice(0, end), null);
    if (url !== null) findings.link(url, cut.slice(0, end));
  }
}
