import { bracketed, COMMON, called, camel, escaped, hex, isObject } from './layout.mjs';
import { batch } from './typescript.mjs';

export const setup = {
  imports: "require 'vendor/autoload.php';",
  code: '$acuse = new Acuse\\Client(); // ACUSE_API_KEY, ACUSE_URL',
};

/** @type {import('./index.mjs').Write} */
export function write({ operation, params, query, body, file, key }) {
  const { id, resource, method, result, keyed } = operation;
  const values = [
    ...params.map((each) => text(each)),
    ...(file ? ["file_get_contents('file')"] : body === undefined ? [] : [literal(batch(id, body))]),
    ...(key === null ? [] : [`idempotencyKey: ${text(key)}`]),
    // Only under a key that the caller pinned.
    ...(id === 'getLogCheckpoint' ? ['$pinnedKey'] : []),
    ...Object.entries(query).map(([name, value]) => `${camel(name)}: ${literal(value)}`),
  ];
  const call = called(`$acuse->${resource}->${method}`, values, { unit: '    ' });
  if (result === 'page') return `foreach (${call} as $item) {\n    var_dump($item);\n}`;
  if (id === 'sendBatch') return `foreach (${call} as $item) {\n    echo $item->status, PHP_EOL;\n}`;
  return result === 'none' ? `${call};` : `$${keyed ? 'sent' : 'result'} = ${call};`;
}

const DOUBLE = { ...COMMON, '"': '\\"', $: '\\$' };

/** Between single quotes nothing is interpolated, and only two characters have an escape. */
function text(value) {
  const single = escaped(value, { '\\': '\\\\', "'": "\\'" }, () => '\0');
  if (!single.includes('\0')) return `'${single}'`;
  return `"${escaped(value, DOUBLE, (code) => `\\u{${hex(code, 1)}}`)}"`;
}

function literal(value, indent = '') {
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const how = { indent, unit: '    ' };
  if (!isObject(value)) return bracketed(['[', ']'], (of) => value.map((each) => literal(each, of)), how);
  // An empty list would be written as one.
  if (Object.keys(value).length === 0) return 'new stdClass()';
  const parts = (of) => Object.entries(value).map(([key, each]) => `${text(key)} => ${literal(each, of)}`);
  return bracketed(['[', ']'], parts, how);
}
