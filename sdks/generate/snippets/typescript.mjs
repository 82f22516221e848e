import { bracketed, COMMON, capital, escaped, isObject, unicodeEscape } from './layout.mjs';

export const setup = {
  imports: "import { Acuse } from '@acuse/client';",
  code: 'const acuse = new Acuse(); // ACUSE_API_KEY, ACUSE_URL',
};

/** @type {import('./index.mjs').Write} */
export function write({ operation, params, query, body, file, key }) {
  const { id, resource, method, result, keyed } = operation;
  const values = [
    ...params.map((each) => text(each)),
    ...(file ? ["await readFile('file')"] : body === undefined ? [] : [literal(batch(id, body))]),
    ...(key === null ? [] : [text(key)]),
    // Only under a key that the caller pinned.
    ...(id === 'getLogCheckpoint' ? ['pinnedKey'] : []),
    ...(Object.keys(query).length === 0 ? [] : [literal(query)]),
  ];
  const call = `acuse.${resource}.${method}(${values.join(', ')})`;
  const head = file ? "import { readFile } from 'node:fs/promises';\n\n" : '';
  return head + used(call, { id, result, keyed });
}

function used(call, { id, result, keyed }) {
  if (result === 'page') return `for await (const item of ${call}) {\n  console.log(item);\n}`;
  if (id === 'sendBatch') return `for (const item of await ${call}) {\n  console.log(item.status);\n}`;
  if (result === 'none') return `await ${call};`;
  return `const ${keyed ? '{ message, replayed }' : 'result'} = await ${call};`;
}

/** A batch is its list of messages. */
export const batch = (id, body) => (id === 'sendBatch' ? body.messages : body);

function text(value) {
  return `'${escaped(value, { ...COMMON, "'": "\\'" }, unicodeEscape)}'`;
}

const name = (key) => (/^[A-Za-z_]\w*$/.test(key) && key !== '__proto__' ? key : quotedName(key));
/** Without the brackets it would set the prototype. */
const quotedName = (key) => (key === '__proto__' ? `[${text(key)}]` : text(key));

function literal(value, indent = '') {
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const how = { indent, unit: '  ', spaced: isObject(value) };
  if (!isObject(value)) return bracketed(['[', ']'], (of) => value.map((each) => literal(each, of)), how);
  const parts = (of) => Object.entries(value).map(([key, each]) => `${name(key)}: ${literal(each, of)}`);
  return bracketed(['{', '}'], parts, how);
}

/** For the checks: the calls as functions of a module. */
export function functionName({ operation }, at) {
  return `call${capital(operation.id)}${at}`;
}
