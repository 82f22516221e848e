import { pythonName } from '../python-words.mjs';
import { bracketed, COMMON, called, escaped, hex, isObject, unicodeEscape } from './layout.mjs';
import { batch } from './typescript.mjs';

export const setup = {
  imports: 'from acuse import Acuse',
  code: 'acuse = Acuse()  # ACUSE_API_KEY, ACUSE_URL',
};

/** @type {import('./index.mjs').Write} */
export function write({ operation, params, query, body, file, key }) {
  const { id, resource, method, result, media } = operation;
  const values = [
    ...params.map((each) => text(each)),
    ...(file ? ['Path("file").read_bytes()'] : body === undefined ? [] : [content(batch(id, body), media)]),
    ...(key === null ? [] : [text(key)]),
    // Only under a key that the caller pinned.
    ...(id === 'getLogCheckpoint' ? ['pinned_key'] : []),
    ...Object.entries(query).map(([name, value]) => `${pythonName(name)}=${literal(value)}`),
  ];
  const call = called(`acuse.${pythonName(resource)}.${pythonName(method)}`, values, { unit: '    ' });
  const head = file ? 'from pathlib import Path\n\n' : '';
  if (result === 'page') return `${head}for item in ${call}:\n    print(item)`;
  if (id === 'sendBatch') return `for item in ${call}:\n    print(item.status)`;
  return head + (result === 'none' ? call : `result = ${call}`);
}

/** Only what is a text of its own may be given as one. */
function content(body, media) {
  if (typeof body !== 'string' || media.startsWith('text/')) return literal(body);
  return /^[\u0000-\u007f]*$/.test(body) ? `b${text(body)}` : `${text(body)}.encode()`;
}

const wide = (code) => (code > 0xffff ? `\\U${hex(code, 8)}` : unicodeEscape(code));
const BYTE = (code) => (code < 0x100 ? `\\x${hex(code, 2)}` : wide(code));

function text(value) {
  return `"${escaped(value, { ...COMMON, '"': '\\"' }, BYTE)}"`;
}

const WORDS = { true: 'True', false: 'False', null: 'None' };

function literal(value, indent = '') {
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'object' || value === null) return WORDS[String(value)] ?? String(value);
  const how = { indent, unit: '    ' };
  if (!isObject(value)) return bracketed(['[', ']'], (of) => value.map((each) => literal(each, of)), how);
  const parts = (of) => Object.entries(value).map(([key, each]) => `${text(key)}: ${literal(each, of)}`);
  return bracketed(['{', '}'], parts, how);
}
