// TypeScript as text: just enough of a reader to tell code from comments and strings. It knows no grammar
// beyond that: regular expressions are told from divisions by what stands before them.

/** Of each text that was asked about: a tree's checks ask for the same ones. */
const known = new Map();

function factsOf(text) {
  const facts = known.get(text) ?? {};
  if (!known.has(text)) known.set(text, facts);
  return facts;
}

/**
 * The text with comments and the insides of strings and regular expressions blanked; offsets and lines stay.
 */
export function codeOf(text) {
  const facts = factsOf(text);
  facts.code ??= blanked(text);
  return facts.code;
}

function blanked(text) {
  const parts = [];
  let last = 0;
  for (const { kind, start, end } of tokens(text)) {
    const inner = kind === 'comment' ? [start, end] : [start + 1, Math.max(start + 1, end - 1)];
    parts.push(text.slice(last, inner[0]), text.slice(inner[0], inner[1]).replace(/[^\n]/g, ' '));
    last = inner[1];
  }
  return parts.join('') + text.slice(last);
}

/** String literals and the literal parts of templates, with the line that each begins on. */
export function stringsOf(text) {
  return tokens(text)
    .filter(({ kind }) => kind === 'string')
    .map(({ start, end }) => ({ value: text.slice(start + 1, end - 1), line: lineOf(text, start) }));
}

/** The lines on which a template goes on from the line before, or on to the next. */
export function templateLines(text) {
  const lines = new Set();
  for (const { kind, start, end } of tokens(text)) {
    if (kind !== 'string' || !text.slice(start, end).includes('\n')) continue;
    const last = lineOf(text, end - 1);
    for (let line = lineOf(text, start); line <= last; line++) lines.add(line);
  }
  return lines;
}

/** The lines on which a comment is. */
export function commentLines(text) {
  const lines = new Set();
  for (const { kind, start, end } of tokens(text)) {
    if (kind !== 'comment') continue;
    const last = lineOf(text, end - 1);
    for (let line = lineOf(text, start); line <= last; line++) lines.add(line);
  }
  return lines;
}

/**
 * Comments without their marks and line breaks; those of lines below each other are one. `head`: the file
 * begins with it.
 */
export function commentsOf(text) {
  const comments = [];
  for (const { kind, start, end } of tokens(text)) {
    if (kind !== 'comment') continue;
    const last = comments.at(-1);
    const between = last === undefined ? text.slice(0, start) : text.slice(last.end, start);
    const continues = last !== undefined && text.startsWith('//', start) && /^\n[ \t]*$/.test(between);
    if (continues && text.startsWith('//', last.start)) last.end = end;
    else comments.push({ start, end });
  }
  return comments.map(({ start, end }) => ({
    text: text
      .slice(start, end)
      .replace(/^\/\*\*?|\*\/$/g, '')
      .replace(/\n?[ \t]*(?:\/\/|(?<=\n[ \t]*)\*)[ \t]?/g, ' ')
      .replace(/\s+/g, ' '),
    line: lineOf(text, start),
    head: /^(?:#!.*\n)?$/.test(text.slice(0, start)),
  }));
}

/**
 * Ways to another file: `from`, `import` with and without parentheses, `require`, `import.meta.resolve`, and
 * the address of a worker.
 */
const IMPORTS = new RegExp(
  [
    /\bfrom\s*(?=['"])/,
    /\bimport\s*(?=['"])/,
    /(?<![.\w])(?:import|require)\s*\(\s*/,
    /\bcreateRequire\s*\([^()]*\)\s*\(\s*/,
    /\bimport\.meta\.resolve\s*\(\s*/,
    /\bnew\s+URL\s*\(\s*(?=['"`])/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

/**
 * Imports of the file: static, dynamic, for its effect, or for its types alone (`typeOnly`). `from` is null
 * where only running the file tells.
 */
export function importsOf(text) {
  const strings = new Map(
    tokens(text)
      .filter(({ kind }) => kind === 'string')
      .map((token) => [token.start, token]),
  );
  const code = codeOf(text);
  const found = [];
  for (const match of code.matchAll(IMPORTS)) {
    const start = match.index + match[0].length;
    const token = strings.get(start);
    const from = token === undefined ? null : literalOf(text, token);
    // Most addresses are no files of ours.
    if (match[0].startsWith('new') && !/^\..*\.[cm]?[jt]sx?$/.test(from ?? '')) continue;
    found.push({
      from,
      line: lineOf(text, start),
      typeOnly: match[0].startsWith('from') && isTypeOnly(code, match.index),
    });
  }
  return found;
}

/** The content of a string; null where something is put into it, or added to it. */
function literalOf(text, { start, end }) {
  const isWhole = text[end - 1] === text[start] && !/^\s*\+/.test(text.slice(end));
  return isWhole ? text.slice(start + 1, end - 1) : null;
}

function isTypeOnly(code, fromOffset) {
  const statement = code.slice(
    Math.max(code.lastIndexOf('import', fromOffset), code.lastIndexOf('export', fromOffset)),
  );
  return /^(import|export)\s+type\s/.test(statement);
}

/** Of a place in the text, from one. */
export function lineOf(text, offset) {
  const facts = factsOf(text);
  facts.breaks ??= [...text.matchAll(/\n/g)].map(({ index }) => index);
  let [low, high] = [0, facts.breaks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (facts.breaks[middle] < offset) low = middle + 1;
    else high = middle;
  }
  return low + 1;
}

/**
 * Comments, strings, template parts and regular expressions, in order. `end` is behind the last character.
 */
function tokens(text) {
  const facts = factsOf(text);
  facts.tokens ??= tokenized(text);
  return facts.tokens;
}

/** Where one may begin, or a placeholder end. */
const MARK = /["'`/{}]/g;

function tokenized(text) {
  const found = [];
  const templates = [];
  let depth = 0;
  let at = text.startsWith('#!') ? untilLineEnd(text, 0) : 0;
  for (;;) {
    MARK.lastIndex = at;
    at = MARK.exec(text)?.index ?? text.length;
    if (at === text.length) return found;
    const two = text.slice(at, at + 2);
    const one = text[at];
    let end = at + 1;
    if (two === '//') end = add('comment', untilLineEnd(text, at));
    else if (two === '/*') end = add('comment', blockEnd(text, at));
    else if (one === "'" || one === '"') end = add('string', quoted(text, at, one));
    else if (one === '`') end = template(at);
    else if (one === '/' && startsExpression(text, at)) end = add('expression', expressionEnd(text, at));
    else if (one === '{') depth++;
    else if (one === '}') {
      if (templates.at(-1) === depth) {
        templates.pop();
        end = template(at);
      } else depth--;
    }
    at = end;
  }

  function add(kind, end) {
    found.push({ kind, start: at, end });
    return end;
  }

  /** From a backtick, or the brace that ends a placeholder, to the next placeholder or the end. */
  function template(start) {
    for (let i = start + 1; i < text.length; i++) {
      if (text[i] === '\\') i++;
      else if (text[i] === '`') return add('string', i + 1);
      else if (text[i] === '$' && text[i + 1] === '{') {
        templates.push(depth);
        found.push({ kind: 'string', start, end: i + 1 });
        return i + 2;
      }
    }
    return text.length;
  }
}

function untilLineEnd(text, at) {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

function blockEnd(text, at) {
  const end = text.indexOf('*/', at + 2);
  return end === -1 ? text.length : end + 2;
}

function quoted(text, at, quote) {
  for (let i = at + 1; i < text.length && text[i] !== '\n'; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === quote) return i + 1;
  }
  return untilLineEnd(text, at);
}

/** A slash begins a regular expression where a value may begin, not behind one. */
function startsExpression(text, at) {
  const before = text.slice(Math.max(0, at - 40), at).trimEnd();
  return (
    before === '' ||
    /(?:[([{,;:=!&|?+\-*%<>~^]|\b(?:return|typeof|case|in|of|throw|await|void))$/.test(before)
  );
}

function expressionEnd(text, at) {
  let inClass = false;
  for (let i = at + 1; i < text.length && text[i] !== '\n'; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '[') inClass = true;
    else if (text[i] === ']') inClass = false;
    else if (text[i] === '/' && !inClass) return i + 1;
  }
  return untilLineEnd(text, at);
}
