// Names and comments as Go has them.

/** Words that Go writes in capitals. */
const CAPITALS = new Map(
  [
    'api',
    'csv',
    'dkim',
    'dns',
    'dsn',
    'html',
    'id',
    'ip',
    'json',
    'mx',
    'oid',
    'spf',
    'tls',
    'url',
    'uri',
    'ttl',
  ].map((word) => [word, word.toUpperCase()]),
);
CAPITALS.set('sha256', 'SHA256').set('ids', 'IDs');

/** Names that would say too little, or that the hand-written part of the library needs. */
const RENAMED = new Map([['Error', 'ErrorBody']]);

const WIDTH = 100;

/** snake_case, camelCase, dots and blanks as ExportedName. */
export function exported(name) {
  return wordsOf(name)
    .map((word) => CAPITALS.get(word) ?? word[0].toUpperCase() + word.slice(1))
    .join('');
}

/** The same as unexportedName. */
export function unexported(name) {
  const [first, ...rest] = wordsOf(name);
  return first + rest.map((word) => exported(word)).join('');
}

export function goName(field) {
  return exported(field);
}

export function typeName(schema) {
  return RENAMED.get(schema) ?? exported(schema);
}

function wordsOf(name) {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
}

/** A doc comment; with a name, its first line begins with it. */
export function docLines(name, text, indent = '') {
  const first = name === '' ? text : `${name}${/^(is|calls) /.test(text) ? ' ' : ': '}${text}`;
  return first
    .split('\n')
    .flatMap((paragraph) => (paragraph === '' ? [''] : wrap(paragraph)))
    .map((line) => `${indent}//${line === '' ? '' : ` ${line}`}\n`)
    .join('');
}

function wrap(text) {
  const lines = [''];
  for (const word of text.trim().split(' ')) {
    if (lines.at(-1) !== '' && lines.at(-1).length + 1 + word.length > WIDTH) lines.push('');
    lines[lines.length - 1] += lines.at(-1) === '' ? word : ` ${word}`;
  }
  return lines;
}
