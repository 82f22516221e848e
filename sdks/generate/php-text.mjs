// Text of PHP: files, comments, strings, and types as Acuse\Internal\Codec reads them.

/** @typedef {import('./model.mjs').Type} Type */

/** Characters of a line of comment, without what stands before it. */
const WIDTH = 96;

/** A file of one class. */
export function file(namespace, uses, lines) {
  const head = [
    '<?php',
    '',
    '// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.',
    '',
    'declare(strict_types=1);',
    '',
    `namespace ${namespace};`,
    '',
    ...(uses.length === 0 ? [] : [...uses.map((each) => `use ${each};`), '']),
  ];
  return `${[...head, ...lines].join('\n')}\n`;
}

export function indent(lines) {
  return lines.map((line) => (line === '' ? '' : `    ${line}`));
}

/** A doc comment. */
export function comment(text) {
  const plain = text.trim().replaceAll('*/', '* /');
  if (plain === '') return [];
  const lines = plain.split('\n').flatMap((line) => wrap(line));
  if (lines.length === 1) return [`/** ${lines[0]} */`];
  return ['/**', ...lines.map((line) => (line === '' ? ' *' : ` * ${line}`)), ' */'];
}

function wrap(line) {
  const more = line.startsWith('@') ? '  ' : '';
  const lines = [''];
  for (const word of line.split(' ')) {
    const last = lines.at(-1);
    if (last !== '' && last.length + word.length + 1 > WIDTH) lines.push(more + word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}

/** A string of PHP; nothing in it is interpolated. */
export function quote(text) {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** @param {Type} type as the value that Codec reads */
export function value(type) {
  switch (type.kind) {
    case 'array':
    case 'map':
      return `['${type.kind}', ${value(type.of)}]`;
    case 'ref':
      return `['ref', ${quote(type.name)}]`;
    case 'union':
      return union(type.of);
    default:
      return quote(type.kind);
  }
}

export function union(of) {
  return `['union', [${of.map(value).join(', ')}]]`;
}
