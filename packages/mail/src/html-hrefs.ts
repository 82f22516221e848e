import { Tokenizer } from 'htmlparser2';

/**
 * An HTML text with other targets in its `href` attributes, and nothing else changed: what only looks like
 * one in the words of a text, in an attribute of another name or in a plain comment stays.
 */
export function mapHrefs(html: string, map: (value: string) => string): string {
  const changes: Change[] = [];
  readHrefs(html, 0, map, changes);
  let mapped = '';
  let done = 0;
  for (const { from, to, value } of changes) {
    mapped += html.slice(done, from) + value;
    done = to;
  }
  return mapped + html.slice(done);
}

interface Change {
  readonly from: number;
  readonly to: number;
  readonly value: string;
}

/** `<!--[if mso]>…`: Outlook reads it as a part of the text, buttons above all. */
const CONDITIONAL = /^\s{0,9}\[if\b/i;

function readHrefs(html: string, offset: number, map: (value: string) => string, changes: Change[]): void {
  let isHref = false;
  let from = -1;
  let to = -1;
  const tokenizer = new Tokenizer(
    // As written: positions are wanted.
    { decodeEntities: false },
    {
      onattribname(start, end) {
        isHref = html.slice(start, end).toLowerCase() === 'href';
        from = -1;
      },
      onattribdata(start, end) {
        if (from < 0) from = start;
        to = end;
      },
      onattribend() {
        if (!isHref || from < 0) return;
        const written = html.slice(from, to);
        const value = map(written);
        if (value !== written) changes.push({ from: offset + from, to: offset + to, value });
      },
      oncomment(start, end, endOffset) {
        const text = html.slice(start, end - endOffset);
        // No comment has another in it.
        if (offset === 0 && CONDITIONAL.test(text)) readHrefs(text, start, map, changes);
      },
      onattribentity() {},
      oncdata() {},
      onclosetag() {},
      ondeclaration() {},
      onend() {},
      onopentagend() {},
      onopentagname() {},
      onprocessinginstruction() {},
      onselfclosingtag() {},
      ontext() {},
      ontextentity() {},
    },
  );
  tokenizer.write(html);
  tokenizer.end();
}
