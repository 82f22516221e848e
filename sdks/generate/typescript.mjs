// Writes the types, operations, error codes and resources of the TypeScript library.
import { ACCEPTED, outboxStatements, REFUSED } from './outbox.mjs';

/** @typedef {import('./model.mjs').Model} Model */
/** @typedef {import('./model.mjs').Type} Type */
/** @typedef {import('./model.mjs').Operation} Operation */

const HEADER = '// Generated from contract/openapi.json by sdks/generate/typescript.mjs: do not edit.\n';
/** Characters of a line of comment. */
const WIDTH = 106;

/** Methods that the library writes by hand, in a class that extends the generated one. */
const BY_HAND = new Set([
  ...['messages.send', 'messages.sendRaw', 'messages.sendBatch', 'messages.resend'],
  'log.checkpoint',
]);
/** Resource → where the class that extends the generated one is. */
const EXTENDED = {
  messages: { name: 'Messages', file: './messages.ts' },
  evidence: { name: 'Evidences', file: './evidences.ts' },
  log: { name: 'Log', file: './log.ts' },
};

/**
 * @param {Model} model
 * @returns {{path: string, text: string}[]}
 */
export function emit(model) {
  return [
    { path: 'src/types-generated.ts', text: types(model) },
    { path: 'src/errors-generated.ts', text: errors(model) },
    { path: 'src/contract-generated.ts', text: contract(model) },
    { path: 'src/operations-generated.ts', text: operations(model) },
    { path: 'src/client-generated.ts', text: client(model) },
    { path: 'src/outbox-generated.ts', text: outbox() },
  ];
}

function outbox() {
  const { TABLE, ADD, CLAIM, RECORD } = outboxStatements();
  return `${HEADER}
/** The table that a migration of yours creates, once; libraries in all languages share it. */
export const OUTBOX_TABLE = \`${TABLE}\`;

export const ADD = \`${ADD}\`;

export const CLAIM = \`${CLAIM}\`;

export const RECORD = \`${RECORD}\`;

/** Statuses that end a message, with a code of the API. */
export const REFUSED: readonly number[] = [${REFUSED.join(', ')}];
/** The code of a message that was accepted before. */
export const ACCEPTED = ${quote(ACCEPTED)};
`;
}

/** @param {Model} model */
function types({ schemas, operations, events }) {
  const queries = operations
    .filter(({ query }) => query.length > 0)
    .map((operation) => {
      const fields = operation.query.map((each) => ({ ...each, nullable: false, required: each.required }));
      return object(queryName(operation), `Filters of ${nameOf(operation)}.`, fields, { dates: true });
    });
  const union = events.map(
    ({ type, data }) => `  | { readonly type: ${quote(type)}; readonly data: ${ts(data)} }`,
  );
  return [
    HEADER,
    schemas.map(schemaType).join('\n\n'),
    queries.join('\n\n'),
    `${comment('What the body of a webhook delivery holds, by its type.')}export type EventOfType =\n${union.join('\n')};`,
    `${comment('Types of webhook events that are known today.')}export const EVENT_TYPES = [\n${events
      .map(({ type }) => `  ${quote(type)},`)
      .join('\n')}\n] as const;`,
    '',
  ]
    .join('\n\n')
    .replace(/\n\n$/, '\n')
    .replace('\n\n\n', '\n\n');
}

function schemaType({ name, doc, kind, fields, values, of, additional }) {
  if (kind === 'enum') return `${comment(doc)}export type ${name} = ${open(values)};`;
  if (kind === 'union')
    return `${comment(doc)}export type ${name} = ${of.map((each) => ts(each)).join(' | ')};`;
  if (fields.length === 0 && additional !== null)
    return `${comment(doc)}export type ${name} = { readonly [name: string]: ${ts(additional)} };`;
  return object(name, doc, fields, { additional });
}

function object(name, doc, fields, { additional = null, dates = false } = {}) {
  const lines = fields.map((field) => {
    const type = ts(field.type, dates) + (field.nullable ? ' | null' : '');
    const optional = field.required ? '' : '?';
    const full = field.required ? type : `${type} | undefined`;
    return `${comment(field.doc, '  ')}  readonly ${property(field.name)}${optional}: ${full};`;
  });
  if (additional !== null) lines.push('  readonly [name: string]: unknown;');
  return `${comment(doc)}export interface ${name} {\n${lines.join('\n')}\n}`;
}

/** @param {Type} type @param {boolean} [dates] whether a Date may stand for a time */
function ts(type, dates = false) {
  switch (type.kind) {
    case 'array': {
      const of = ts(type.of, dates);
      return dates
        ? `readonly (${of})[] | ${of}`
        : /[|& ]/.test(of)
          ? `readonly (${of})[]`
          : `readonly ${of}[]`;
    }
    case 'map':
      return `{ readonly [name: string]: ${ts(type.of)} }`;
    case 'ref':
      return type.name;
    case 'union':
      return type.of.map((each) => ts(each, dates)).join(' | ');
    case 'json':
      return 'unknown';
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
      if (type.values !== undefined) return open(type.values);
      return dates && type.format === 'date-time' ? 'string | Date' : 'string';
    default:
      return type.kind;
  }
}

/** Known values for the editor, any text for a newer server. */
function open(values) {
  return `${values.map(quote).join(' | ')} | (string & {})`;
}

/** @param {Model} model */
function errors({ errors }) {
  const rows = (pick) => errors.map((each) => `  ${each.code}: ${pick(each)},`).join('\n');
  return `${HEADER}
/** Every code of the API, with what it means. */
export const ERROR_CODES = {
${errors.map(({ code, doc }) => `${comment(doc, '  ')}  ${code}: ${quote(code)},`).join('\n')}
} as const;

/** Advice about each. */
export const FIXES: Readonly<Record<string, string>> = {
${rows(({ fix }) => `\n    ${quote(fix)}`).replaceAll(': \n', ':\n')}
};

/** The HTTP status of each. */
export const STATUSES: Readonly<Record<string, number>> = {
${rows(({ status }) => String(status))}
};
`;
}

/** @param {Model} model */
function contract({ schemas, operations }) {
  const kinds = new Map(schemas.map((schema) => [schema.name, schema]));
  const answers = schemas.filter(
    ({ kind, output, fields }) => kind === 'object' && output && fields.length > 0,
  );
  return `${HEADER}
import type { Fields, Operation } from './operation.ts';

/** Fields of each answer, with \`?\` after those that may be missing. */
export const SCHEMAS: Readonly<Record<string, Fields>> = {
${answers.map(({ name, fields }) => `  ${name}: {\n${fields.map((field) => shapeOfField(field, kinds)).join('\n')}\n  },`).join('\n')}
};

/** Every operation, by resource and method. */
export const OPERATIONS = {
${operations.map((each) => operationRow(each, kinds)).join('\n')}
} as const satisfies Readonly<Record<string, Operation>>;
`;
}

/** @param {Model} model */
function operations(model) {
  const { operations } = model;
  const resources = [...new Set(operations.map(({ resource }) => resource))];
  const body = resources.map((resource) =>
    resourceClass(
      resource,
      operations.filter((each) => each.resource === resource),
    ),
  );
  const used = namesIn(body.join('\n'), model);
  return `${HEADER}
import { jsonBody, rawBody } from './body.ts';
import type { Calls } from './calls.ts';
import { OPERATIONS } from './contract-generated.ts';
import type { CallOptions } from './options.ts';
import { type Listing, listing } from './paging.ts';
import type {
${used.map((name) => `  ${name},`).join('\n')}
} from './types-generated.ts';

${body.join('\n\n')}
`;
}

function shapeOfField({ name, type, essential, nullable }, kinds) {
  const key = essential ? property(name) : quote(`${name}?`);
  return `    ${key}: ${quote((nullable ? '?' : '') + shape(type, kinds))},`;
}

function shape(type, kinds) {
  switch (type.kind) {
    case 'array':
      return `${shape(type.of, kinds)}[]`;
    case 'map':
      return `${shape(type.of, kinds)}{}`;
    case 'ref': {
      const schema = kinds.get(type.name);
      if (schema.kind === 'enum') return 'string';
      if (schema.kind === 'union') return 'any';
      return schema.fields.length > 0 ? type.name : 'any{}';
    }
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      return type.kind;
    default:
      return 'any';
  }
}

/** @param {Operation} operation */
function operationRow(operation, kinds) {
  const { id, http, path, query, headers, retry, body, accept, result, success } = operation;
  const shapeName =
    result.kind === 'json' ? shape(result.type, kinds) : result.kind === 'page' ? result.page : null;
  const name = nameOf(operation);
  return `  ${quote(name)}: {
    id: ${quote(id)},
    name: ${quote(name)},
    http: ${quote(http)},
    path: ${quote(path)},
    query: [${query.map(({ name }) => quote(name)).join(', ')}],
    keyed: ${headers.some((each) => each.name === 'Idempotency-Key')},
    retry: ${quote(retry)},
    media: ${body === null ? 'null' : quote(body.media)},
    accept: ${accept === null ? 'null' : quote(accept)},
    result: ${quote(result.kind)},
    shape: ${shapeName === null ? 'null' : quote(shapeName)},
    success: [${success.join(', ')}],
  },`;
}

function resourceClass(resource, operations) {
  const methods = operations.filter((each) => !BY_HAND.has(nameOf(each))).map(method);
  return `/** \`acuse.${resource}\`. */
export class ${capital(resource)}Operations {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

${methods.join('\n\n')}
}`;
}

/** @param {Operation} operation */
function method(operation) {
  const { pathParams, query, body, result, method, doc } = operation;
  const parameters = pathParams.map(({ name }) => `${camel(name)}: string`);
  const input = [];
  if (pathParams.length > 0) input.push(`path: { ${pathParams.map(({ name }) => pair(name)).join(', ')} }`);
  if (body !== null) {
    const needed = body.required ? '' : '?';
    parameters.push(`body${needed}: ${body.type === null ? 'Uint8Array | string' : ts(body.type)}`);
    const made = body.type === null ? 'rawBody(body)' : 'jsonBody(body)';
    input.push(body.required ? `body: ${made}` : `body: body === undefined ? undefined : ${made}`);
  }
  if (query.length > 0) {
    const needed = query.some(({ required }) => required) ? '' : '?';
    parameters.push(`query${needed}: ${queryName(operation)}`);
    input.push('query');
  }
  parameters.push('options?: CallOptions');
  input.push('options');
  const call = `OPERATIONS[${quote(nameOf(operation))}], { ${input.join(', ')} }`;
  const head = (type) =>
    `${comment(doc, '  ')}  ${result.kind === 'page' ? '' : 'async '}${method}(${parameters.join(', ')}): ${type} {`;
  if (result.kind === 'page') {
    const list = `<${ts(result.item)}, ${result.page}>`;
    return `${head(`Listing${list}`)}\n    return listing(this.#calls, ${call});\n  }`;
  }
  const type = valueType(result);
  const value = `await this.#calls.value(${call})`;
  const line = type === 'void' ? `${value};` : `return (${value}) as ${type};`;
  return `${head(`Promise<${type}>`)}\n    ${line}\n  }`;
}

function valueType(result) {
  if (result.kind === 'json') return ts(result.type);
  return { bytes: 'Uint8Array', text: 'string', none: 'void' }[result.kind];
}

/** Types that the text names. */
function namesIn(text, { schemas, operations }) {
  const code = text.replace(/\/\*\*[\s\S]*?\*\//g, '').replace(/'[^']*'/g, '');
  const words = new Set(code.match(/\b[A-Z]\w*/g));
  const names = [
    ...schemas.map(({ name }) => name),
    ...operations.filter(({ query }) => query.length > 0).map(queryName),
  ];
  return names.filter((name) => words.has(name)).sort();
}

/** @param {Model} model */
function client({ operations }) {
  const resources = [...new Set(operations.map(({ resource }) => resource))];
  const classOf = (resource) => EXTENDED[resource]?.name ?? `${capital(resource)}Operations`;
  const plain = resources
    .filter((each) => EXTENDED[each] === undefined)
    .map(classOf)
    .sort();
  const extended = resources.filter((each) => EXTENDED[each] !== undefined).map((each) => EXTENDED[each]);
  const imports = [
    ...extended.map(({ name, file }) => [file, `import { ${name} } from '${file}';`]),
    ['./calls.ts', "import type { Calls } from './calls.ts';"],
    [
      './operations-generated.ts',
      `import {\n${plain.map((name) => `  ${name},`).join('\n')}\n} from './operations-generated.ts';`,
    ],
  ].sort(([a], [b]) => (a < b ? -1 : 1));
  return `${HEADER}
${imports.map(([, line]) => line).join('\n')}

/** The resources of a client. */
export class Resources {
${resources.map((each) => `  readonly ${each}: ${classOf(each)};`).join('\n')}

  constructor(calls: Calls) {
${resources.map((each) => `    this.${each} = new ${classOf(each)}(calls);`).join('\n')}
  }
}
`;
}

function nameOf({ resource, method }) {
  return `${resource}.${method}`;
}

function queryName({ id }) {
  return `${capital(id)}Query`;
}

function capital(text) {
  return text[0].toUpperCase() + text.slice(1);
}

function camel(name) {
  return name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
}

function pair(name) {
  return camel(name) === name ? name : `${property(name)}: ${camel(name)}`;
}

function property(name) {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name);
}

function quote(text) {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');
  return escaped.includes("'") && !escaped.includes('"')
    ? `"${escaped}"`
    : `'${escaped.replaceAll("'", "\\'")}'`;
}

/** A doc comment, wrapped; nothing where there is nothing to say. */
function comment(doc, indent = '') {
  const text = doc.trim().replaceAll('*/', '*\\/');
  if (text === '') return '';
  const lines = text.split('\n').flatMap((line) => wrap(line, WIDTH - indent.length - 3));
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

function wrap(line, width) {
  const lines = [''];
  for (const word of line.split(' ')) {
    const last = lines.at(-1);
    if (last !== '' && last.length + word.length + 1 > width) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}
