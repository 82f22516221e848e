/** Why a text is not exactly one mailbox. */
export type MailboxReason =
  | 'empty'
  | 'too_long'
  | 'syntax'
  | 'control'
  | 'comment'
  | 'group'
  | 'list'
  | 'route'
  | 'address_literal'
  | 'encoded_word'
  | 'invisible'
  | 'local_part'
  | 'domain';

/**
 * A run of a phrase: inside quotes with its escapes undone, or outside with its encoded-words still in place.
 */
export type PhraseSegment = { text: string; quoted: boolean };

/** `phrase <addrSpec>`, or an addrSpec alone; a quoted local part keeps its quotes. */
export type MailboxSource = { phrase: readonly PhraseSegment[]; addrSpec: string };

export type MailboxRefusal = { reason: MailboxReason; fix: string };

const QUOTED_LOCAL_PART = /^"(?:[^"\\]|\\.)*"$/u;

/** Characters that mean something outside quotes and end the reading, with the reason. RFC 5322 §3.2.3 */
const SPECIALS: Readonly<Record<string, MailboxRefusal>> = {
  '(': { reason: 'comment', fix: 'remove the parenthesis, or write Name <local@domain>' },
  ')': { reason: 'comment', fix: 'remove the parenthesis' },
  ':': { reason: 'group', fix: 'give one mailbox, not a group' },
  ';': { reason: 'list', fix: 'give exactly one mailbox' },
  ',': { reason: 'list', fix: 'give exactly one mailbox' },
  '[': { reason: 'address_literal', fix: 'use a domain instead of an IP address' },
  ']': { reason: 'syntax', fix: 'remove the bracket' },
  '\\': { reason: 'syntax', fix: 'remove the backslash' },
};

const SYNTAX: MailboxRefusal = { reason: 'syntax', fix: 'write local@domain or Name <local@domain>' };
const UNFIT_FOR_ADDRESS = new Set(['"', '<', '>', ' ']);

/** Splits one mailbox in one pass, quotes respected; an addr-spec is checked for its outer form only. */
export function splitMailbox(
  text: string,
  options: { commaInName: boolean },
): MailboxSource | MailboxRefusal {
  if (text.endsWith(')')) return withNameBehind(text, options);
  if (!text.endsWith('>')) return splitBare(text);
  const phrase: PhraseSegment[] = [];
  let run = '';
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === '"') {
      const quoted = readQuoted(text, at);
      if (quoted === null) return { reason: 'syntax', fix: 'a quotation mark is not closed' };
      phrase.push({ text: run, quoted: false }, { text: quoted.text, quoted: true });
      run = '';
      at = quoted.end - 1;
    } else if (char === '<') {
      phrase.push({ text: run, quoted: false });
      return withAddrSpec(text.slice(at + 1, -1), phrase);
    } else if (char === '(') {
      // In `Ana (Sales) <a@b>` all of it is meant as the name.
      const end = endOfComment(text, at);
      if (end === null) return SPECIALS[char]!;
      run += `(${commentText(text.slice(at + 1, end))})`;
      at = end;
    } else if (SPECIALS[char] !== undefined && !(char === ',' && options.commaInName)) {
      return SPECIALS[char];
    } else {
      run += char;
    }
  }
  return SYNTAX;
}

/** `a@b (Ana)`, the form in which programs of Unix write names. RFC 5322 §3.4 */
function withNameBehind(text: string, options: { commaInName: boolean }): MailboxSource | MailboxRefusal {
  const start = lastComment(text);
  if (start === null) return splitBare(text);
  const source = splitMailbox(text.slice(0, start).trimEnd(), options);
  if ('reason' in source) return source;
  const comment = commentText(text.slice(start + 1, -1));
  const name = source.phrase.filter((segment) => segment.text.trim() !== '');
  const behind = { text: name.length === 0 ? comment : ` (${comment})`, quoted: false };
  // White space before the address is not part of the name.
  const before = name.map((segment, at) =>
    at === name.length - 1 && !segment.quoted ? { ...segment, text: segment.text.trimEnd() } : segment,
  );
  return { phrase: [...before, behind], addrSpec: source.addrSpec };
}

/** Where the comment begins that the text ends with; null if it ends with none. */
function lastComment(text: string): number | null {
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') {
      const quoted = readQuoted(text, at);
      if (quoted === null) return null;
      at = quoted.end - 1;
    } else if (text[at] === '(') {
      const end = endOfComment(text, at);
      if (end === null) return null;
      if (end === text.length - 1) return at;
      at = end;
    }
  }
  return null;
}

/** Where the comment that begins at `start` ends; null if it does not. RFC 5322 §3.2.2 */
export function endOfComment(text: string, start: number): number | null {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text[at]!;
    if (char === '\\') at++;
    else if (char === '(') depth++;
    else if (char === ')' && --depth === 0) return at;
  }
  return null;
}

function commentText(inside: string): string {
  return inside.replace(/\\(.)/gu, '$1').trim();
}

/** A phrase with nothing behind it; null if it holds what no phrase may. RFC 5322 §3.2.5 */
export function splitPhrase(text: string): PhraseSegment[] | null {
  const split = splitMailbox(`${text} <a@a>`, { commaInName: false });
  return 'reason' in split ? null : [...split.phrase];
}

function splitBare(text: string): MailboxSource | MailboxRefusal {
  if (text.includes('<') && !text.startsWith('"')) return text.endsWith(';') ? SPECIALS[':']! : SYNTAX;
  return withAddrSpec(text, []);
}

function withAddrSpec(addrSpec: string, phrase: readonly PhraseSegment[]): MailboxSource | MailboxRefusal {
  if (addrSpec.startsWith('@')) return { reason: 'route', fix: 'remove the route before the address' };
  const at = addrSpec.lastIndexOf('@');
  const local = addrSpec.slice(0, Math.max(at, 0));
  if (local.startsWith('"')) {
    return QUOTED_LOCAL_PART.test(local) ? { phrase, addrSpec } : SYNTAX;
  }
  let sound = true;
  for (let i = 0; i < addrSpec.length; i++) {
    const char = addrSpec[i]!;
    if (SPECIALS[char] !== undefined) return SPECIALS[char];
    if (UNFIT_FOR_ADDRESS.has(char) || (char === '@' && i !== at)) sound = false;
  }
  return sound ? { phrase, addrSpec } : SYNTAX;
}

/**
 * The quoted-string that starts at `start`; `end` is after its closing mark. Null if it has none. RFC 5322
 * §3.2.4
 */
function readQuoted(text: string, start: number): { text: string; end: number } | null {
  let content = '';
  for (let at = start + 1; at < text.length; at++) {
    const char = text[at]!;
    if (char === '"') return { text: content, end: at + 1 };
    if (char === '\\') at++;
    content += text[at] ?? '';
  }
  return null;
}
