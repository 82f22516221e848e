// Names and comments of the Rust library.

/** Characters of a line, with its indentation. */
const WIDTH = 100;
const RESERVED = new Set([
  ...['as', 'break', 'const', 'continue', 'else', 'enum', 'extern', 'fn', 'for', 'if', 'impl', 'in', 'let'],
  ...['loop', 'match', 'mod', 'move', 'mut', 'pub', 'ref', 'return', 'static', 'struct', 'trait', 'type'],
  ...['unsafe', 'use', 'where', 'while', 'async', 'await', 'dyn', 'abstract', 'box', 'do', 'final', 'macro'],
  ...['override', 'priv', 'try', 'typeof', 'unsized', 'virtual', 'yield', 'gen'],
]);
/** Names of the contract that are the library's own, or of its language. */
const RENAMED = { Error: 'ErrorBody' };

/** rotateSecret, next-cursor → rotate_secret, next_cursor */
export function snake(name) {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();
}

/** A name for a field, a method or a parameter. */
export function member(name) {
  const text = snake(name);
  return RESERVED.has(text) ? `r#${text}` : text;
}

/** messages, email.sent, bounce_type → Messages, EmailSent, BounceType */
export function camel(name) {
  return name
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word[0].toUpperCase() + word.slice(1))
    .join('');
}

export const constant = (name) => snake(name).toUpperCase();

export const typeName = (name) => RENAMED[name] ?? name;

/** A text as comment lines of documentation. */
export function docs(text, indent = '') {
  const start = `${indent}///`;
  const lines = text
    .trim()
    .split('\n')
    .flatMap((line) => wrapped(plain(line.trim()), WIDTH - start.length - 1));
  return lines.map((line) => `${start}${line === '' ? '' : ' '}${line}\n`).join('');
}

/** Characters that rustdoc would read as markup, outside of code. */
function plain(text) {
  return text
    .split(/(`[^`]*`)/)
    .map((piece) => (piece.startsWith('`') ? piece : piece.replace(/[<[\]*_]/g, '\\$&')))
    .join('');
}

function wrapped(text, width) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== '' && last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}
