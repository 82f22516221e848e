import { bracketed, COMMON, called, escaped, hex, isObject, snake } from './layout.mjs';
import { batch } from './typescript.mjs';

export const setup = {
  imports: "require 'acuse'",
  code: 'acuse = Acuse::Client.new # ACUSE_API_KEY, ACUSE_URL',
};

/** @type {import('./index.mjs').Write} */
export function write({ operation, params, query, body, file, key }) {
  const { id, resource, method, result } = operation;
  const values = [
    ...params.map((each) => text(each)),
    ...(file ? ["File.binread('file')"] : body === undefined ? [] : [literal(batch(id, body))]),
    ...(key === null ? [] : [text(key)]),
    // Only under a key that the caller pinned.
    ...(id === 'getLogCheckpoint' ? ['pinned_key'] : []),
    ...Object.entries(query).map(([name, value]) => `${name}: ${literal(value)}`),
  ];
  // `send` is Object's.
  const name = `acuse.${snake(resource)}.${method === 'send' ? 'send_message' : snake(method)}`;
  const call = called(name, values, { unit: '  ', trailing: false, empty: '' });
  if (result === 'page') return `${call}.each { |item| p item }`;
  if (id === 'sendBatch') return `${call}.each { |item| puts item.status }`;
  return result === 'none' ? call : `result = ${call}`;
}

const DOUBLE = { ...COMMON, '"': '\\"', '#': '\\#' };

/** Between single quotes nothing is interpolated, and only two characters have an escape. */
function text(value) {
  const single = escaped(value, { '\\': '\\\\', "'": "\\'" }, () => '\0');
  if (!single.includes('\0')) return `'${single}'`;
  return `"${escaped(value, DOUBLE, (code) => `\\u${code > 0xffff ? `{${hex(code, 1)}}` : hex(code, 4)}`)}"`;
}

const pair = (key, value) => (/^[a-z_]\w*$/.test(key) ? `${key}: ${value}` : `${text(key)} => ${value}`);

function literal(value, indent = '') {
  if (typeof value === 'string') return text(value);
  if (value === null) return 'nil';
  if (typeof value !== 'object') return String(value);
  const how = { indent, unit: '  ', spaced: isObject(value), trailing: false };
  if (!isObject(value)) return bracketed(['[', ']'], (of) => value.map((each) => literal(each, of)), how);
  const parts = (of) => Object.entries(value).map(([key, each]) => pair(key, literal(each, of)));
  return bracketed(['{', '}'], parts, how);
}
