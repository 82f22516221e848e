// Calls of the API as code in each client library: for /docs, for the portal's "The same as code", from one
// source. No import of Node's: it runs in browsers too. What it needs of the contract is a table, which
// `npm run generate` makes (table.mjs).
import * as go from './go.mjs';
import * as java from './java.mjs';
import { Unwritable } from './layout.mjs';
import * as php from './php.mjs';
import * as python from './python.mjs';
import * as ruby from './ruby.mjs';
import * as rust from './rust.mjs';
import * as typescript from './typescript.mjs';

/**
 * @typedef {import('./index.d.mts').Call} Call
 * @typedef {import('./index.d.mts').Table} Table
 * @typedef {(call: Call, table: Table) => string} Write
 */

/** In the order in which readers are offered them; `id`: as sdks/names.json has it. */
export const LANGUAGES = [
  { id: 'typescript', name: 'TypeScript', ...typescript },
  { id: 'python', name: 'Python', ...python },
  { id: 'go', name: 'Go', ...go },
  { id: 'rust', name: 'Rust', ...rust },
  { id: 'java', name: 'Java', ...java },
  { id: 'php', name: 'PHP', ...php },
  { id: 'ruby', name: 'Ruby', ...ruby },
];

/** The call in a language; null where it has no literal for one of the values. */
export function snippetOf(language, call, table) {
  try {
    return language.write(call, table);
  } catch (error) {
    if (error instanceof Unwritable) return null;
    throw error;
  }
}

/** The beginning of a program. */
export function setupOf({ setup }) {
  return `${setup.imports}\n\n${setup.code}`;
}

/**
 * A request as a call of the libraries; null where none of them has such an operation, or not with these
 * parameters. A list's cursor is left out: the libraries go through the pages themselves.
 */
export function callOf({ method, path, body, file = false, key = null }, table) {
  const [way, search = ''] = path.split('?', 2);
  const parts = way.split('/');
  for (const operation of table.operations) {
    const params =
      operation.http === method && isVariantFor(operation, body, file) ? match(operation, parts) : null;
    if (params === null) continue;
    const query = queryOf(operation, new URLSearchParams(search));
    return query === null ? null : { operation, params, query, body, file, key };
  }
  return null;
}

/** One operation takes JSON or a composed message; in its answers the first media type counts. */
function isVariantFor({ media, accepts }, body, file) {
  if (accepts === false) return false;
  if (body === undefined && !file) return media === undefined || media === 'application/json';
  return media !== undefined && (media === 'application/json') === (typeof body === 'object' && !file);
}

function match({ path, slashes }, parts) {
  const wanted = path.split('/');
  const params = [];
  for (const [at, each] of wanted.entries()) {
    if (slashes && at === wanted.length - 1 && parts.length >= wanted.length) {
      params.push(parts.slice(at).map(decoded).join('/'));
      return params;
    }
    if (each.startsWith('{') && parts[at] !== undefined) params.push(decoded(parts[at]));
    else if (each !== parts[at]) return null;
  }
  return parts.length === wanted.length ? params : null;
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function queryOf({ query: known, result }, search) {
  const query = {};
  for (const [name, value] of search) {
    if (value === '' || (name === 'after' && result === 'page')) continue;
    const parameter = known.find((each) => each.name === name);
    if (parameter === undefined) return null;
    query[name] = readValue(value, parameter.type);
  }
  return query;
}

function readValue(value, type) {
  if (type.kind === 'array') return value.split(',');
  if (type.kind === 'integer' && /^-?\d{1,15}$/.test(value)) return Number(value);
  return type.kind === 'boolean' && /^(?:true|false)$/.test(value) ? value === 'true' : value;
}
