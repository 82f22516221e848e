// Writes the types, operations, error codes, event types and resources of the Ruby library.
import { ACCEPTED, outboxStatements, REFUSED } from './outbox.mjs';
import { signatures } from './ruby-sig.mjs';

/** @typedef {import('./model.mjs').Model} Model */
/** @typedef {import('./model.mjs').Type} Type */
/** @typedef {import('./model.mjs').Operation} Operation */

const HEADER =
  '# frozen_string_literal: true\n\n# Generated from contract/openapi.json by sdks/generate/ruby.mjs: do not edit.\n';
/** Characters of a line of comment. */
const WIDTH = 108;
/** Methods that the library writes by hand, in a class that extends the generated one. */
const BY_HAND = new Set([
  ...['messages.send', 'messages.sendRaw', 'messages.sendBatch', 'messages.resend'],
  ...['evidence.downloadBundle', 'log.checkpoint'],
]);

/**
 * @param {Model} model
 * @returns {{path: string, text: string}[]}
 */
export function emit(model) {
  const files = {
    types_generated: types(model),
    operations_generated: operations(model),
    resources_generated: resources(model),
    errors_generated: errors(model),
    outbox_generated: outbox(),
    events_generated: events(model),
  };
  const sig = signatures(model, { byHand: BY_HAND, snake, methodOf: rubyMethod });
  return [
    ...Object.entries(files).map(([name, text]) => ({ path: `lib/acuse/${name}.rb`, text })),
    { path: 'sig/generated.rbs', text: sig },
  ];
}

function types({ schemas }) {
  const objects = schemas.filter(({ kind }) => kind === 'object');
  const others = schemas.filter(({ kind }) => kind !== 'object');
  return file([
    '# What the contract knows by name. Answers are of these classes; a request takes a Hash as well.',
    'module Types',
    ...indent(objects.flatMap((schema) => [...model(schema), ''])),
    ...indent(
      comment(
        'Schemas that are not objects: known values are in their documentation, others arrive as text.',
      ),
    ),
    '  ALIASES = {',
    ...others.map(({ name, of }) => `    ${quote(name)} => ${of.length > 0 ? union(of) : ':string'},`),
    '  }.freeze',
    'end',
  ]);
}

function model({ name, doc, fields, additional }) {
  const lines = fields.flatMap((field) => {
    const flags = [
      field.required ? '' : ', required: false',
      field.nullable ? ', nullable: true' : '',
      field.essential ? ', essential: true' : '',
    ].join('');
    return [
      ...comment([field.doc, `@return [${returned(field)}]`].filter(Boolean).join('\n')),
      `field ${quote(field.name)}, ${ruby(field.type)}${flags}`,
    ];
  });
  const open = additional === null || fields.length > 0 ? [] : ['# Each field has a name of its own.'];
  return [
    ...comment(doc || `${name} of the contract.`),
    `class ${name} < Model`,
    ...indent([...open, ...lines]),
    'end',
  ];
}

function returned({ type, nullable, required }) {
  return yard(type) + (nullable || !required ? ', nil' : '');
}

/** @param {Type} type as the value that Codec reads */
function ruby(type) {
  switch (type.kind) {
    case 'array':
      return `[:array, ${ruby(type.of)}]`;
    case 'map':
      return `[:map, ${ruby(type.of)}]`;
    case 'ref':
      return `[:ref, ${quote(type.name)}]`;
    case 'union':
      return union(type.of);
    default:
      return `:${type.kind}`;
  }
}

function union(of) {
  return `[:union, [${of.map(ruby).join(', ')}]]`;
}

/** @param {Type} type as YARD writes it */
function yard(type) {
  const names = { string: 'String', integer: 'Integer', number: 'Numeric', boolean: 'Boolean', null: 'nil' };
  switch (type.kind) {
    case 'array':
      return `Array<${yard(type.of)}>`;
    case 'map':
      return `Hash{String => ${yard(type.of)}}`;
    case 'ref':
      return `Types::${type.name}`;
    case 'union':
      return type.of.map(yard).join(', ');
    default:
      return names[type.kind] ?? 'Object';
  }
}

function operations(model) {
  const lines = model.operations.flatMap((each) => [
    `  ${quote(each.id)} => Operation.new(`,
    `    name: ${quote(nameOf(each))}, http: ${quote(each.http)}, path: ${quote(each.path)},`,
    `    retry_class: :${each.retry}, result: :${each.result.kind}, type: ${resultType(each.result)},`,
    `    accept: ${each.accept === null ? 'nil' : quote(each.accept)}, media: ${each.body === null ? 'nil' : quote(each.body.media)},`,
    `    path_params: ${words(each.pathParams)}, query: ${words(each.query)}`,
    '  ),',
  ]);
  return file([
    '# What the contract says of each operation, by operationId.',
    'OPERATIONS = {',
    ...lines,
    '}.freeze',
  ]);
}

function resultType(result) {
  if (result.kind === 'json') return ruby(result.type);
  return result.kind === 'page' ? `[:ref, ${quote(result.page)}]` : 'nil';
}

const words = (parameters) => `%w[${parameters.map(({ name }) => name).join(' ')}]`;

function resources({ operations }) {
  const byResource = Map.groupBy ? Map.groupBy(operations, ({ resource }) => resource) : grouped(operations);
  const classes = [...byResource].flatMap(([resource, list]) => [
    `# Operations of ${snake(resource).replaceAll('_', ' ')}.`,
    `class ${capital(resource)} < Resource`,
    ...indent(
      list
        .filter((each) => !BY_HAND.has(`${each.resource}.${each.method}`))
        .flatMap((each) => [...method(each), ''])
        .slice(0, -1),
    ),
    'end',
    '',
  ]);
  return file([
    'module Resources',
    ...indent(classes),
    ...indent([
      '# Resource of the client => its class.',
      'ALL = {',
      ...[...byResource.keys()].map((resource) => `  ${snake(resource)}: ${capital(resource)},`),
      '}.freeze',
    ]),
    'end',
  ]);
}

function grouped(operations) {
  const found = new Map();
  for (const each of operations) found.set(each.resource, [...(found.get(each.resource) ?? []), each]);
  return found;
}

/** @param {Operation} operation */
function method(operation) {
  const { pathParams, query, body, result, id } = operation;
  const positional = [...pathParams.map(({ name }) => snake(name)), ...bodyArgument(body)];
  const named = query.map(({ name, required }) => `${snake(name)}:${required ? '' : ' nil'}`);
  const doc = [
    operation.doc,
    ...pathParams.map(({ name, doc }) => `@param ${snake(name)} [String] ${doc}`),
    ...(body === null ? [] : [`@param body [${bodyType(body)}] ${body.required ? '' : 'Optional.'}`.trim()]),
    ...query.map(({ name, type, doc }) => `@param ${snake(name)} [${yard(type)}, nil] ${doc}`),
    `@return [${resultDoc(result)}]`,
    '@raise [Acuse::Error]',
  ];
  const parts = [`OPERATIONS.fetch(${quote(id)})`];
  if (pathParams.length > 0)
    parts.push(`path: { ${pathParams.map(({ name }) => `${quote(name)} => ${snake(name)}`).join(', ')} }`);
  if (query.length > 0)
    parts.push(`query: { ${query.map(({ name }) => `${quote(name)} => ${snake(name)}`).join(', ')} }`);
  if (body !== null) parts.push('body: body');
  const call = result.kind === 'page' ? 'list_of' : 'call';
  const signature = [...positional, ...named].join(', ');
  const lines = [`${call}(`, ...parts.map((part, at) => `  ${part}${at < parts.length - 1 ? ',' : ''}`), ')'];
  return [
    ...comment(doc.join('\n')),
    ...wrapped(`def ${rubyMethod(operation)}(`, signature === '' ? [] : [...positional, ...named]),
    ...indent(lines.flatMap((line) => breakHash(line))),
    'end',
  ];
}

function wrapped(head, parts) {
  if (parts.length === 0) return [head.slice(0, -1)];
  const line = `${head}${parts.join(', ')})`;
  if (line.length <= 90) return [line];
  return [head, ...parts.map((part, at) => `  ${part}${at < parts.length - 1 ? ',' : ''}`), ')'];
}

/** A hash that does not fit on a line has one for each pair. */
function breakHash(line) {
  if (line.length <= 90) return [line];
  const [, head, inner, tail] = /^(\s*\w+: \{) (.*) (\},?)$/.exec(line);
  const pairs = inner.split(', ');
  return [head, ...pairs.map((pair, at) => `    ${pair}${at < pairs.length - 1 ? ',' : ''}`), `  ${tail}`];
}

function bodyArgument(body) {
  if (body === null) return [];
  return [body.required ? 'body' : 'body = nil'];
}

function bodyType({ type }) {
  return type === null ? 'String' : `Hash, ${yard(type)}`;
}

function resultDoc(result) {
  if (result.kind === 'json') return yard(result.type);
  if (result.kind === 'page') return `List<${yard(result.item)}>`;
  return result.kind === 'none' ? 'nil' : 'String';
}

function errors(model) {
  return file([
    '# The codes of errors known when this library was made; others may come.',
    'module ErrorCodes',
    ...indent(
      model.errors.flatMap(({ code, doc }) => [...comment(doc), `${code.toUpperCase()} = ${quote(code)}`]),
    ),
    'end',
    '',
    '# HTTP status and fix of each code.',
    'FIXES = {',
    ...model.errors.map(({ code, status, fix }) => `  ${quote(code)} => [${status}, ${quote(fix)}],`),
    '}.freeze',
  ]);
}

function outbox() {
  const { TABLE, ADD, CLAIM, RECORD } = outboxStatements();
  const statement = (name, sql) => [
    `${name} = <<~SQL`,
    ...sql
      .trimEnd()
      .split('\n')
      .map((line) => `  ${line}`),
    'SQL',
  ];
  return file([
    '# The statements are those of the libraries in all languages.',
    'module Outbox',
    ...indent([
      '# What a migration of yours creates, once.',
      ...[...statement('TABLE', TABLE), ...statement('ADD', ADD), ...statement('CLAIM', CLAIM)],
      ...statement('RECORD', RECORD),
      '# Statuses that end a message, with a code of the API.',
      `REFUSED = [${REFUSED.join(', ')}].freeze`,
      '# The code of a message that was accepted before.',
      `ACCEPTED = ${quote(ACCEPTED)}`,
      'private_constant :CLAIM, :RECORD, :REFUSED, :ACCEPTED',
    ]),
    'end',
  ]);
}

function events(model) {
  return file([
    '# The types of webhook events known when this library was made; others arrive with their data as it came.',
    'EVENT_DATA = {',
    ...model.events.map(({ type, data }) => `  ${quote(type)} => ${quote(data.name)},`),
    '}.freeze',
  ]);
}

const nameOf = ({ resource, method }) => `${resource}.${method}`;

function rubyMethod({ method }) {
  return method === 'send' ? 'send_message' : snake(method);
}

function file(lines) {
  return `${HEADER}\nmodule Acuse\n${indent(lines).join('\n')}\nend\n`.replace(/\n\n+( *end)/g, '\n$1');
}

function indent(lines) {
  return lines.map((line) => (line === '' ? '' : `  ${line}`));
}

function comment(text) {
  if (text.trim() === '') return [];
  return text
    .trim()
    .split('\n')
    .flatMap((line) => wrap(line))
    .map((line) => (line === '' ? '#' : `# ${line}`));
}

function wrap(line) {
  const more = line.startsWith('@') ? '  ' : '';
  const lines = [''];
  for (const word of line.split(' ')) {
    const last = lines.at(-1);
    if (last !== '' && last.length + word.length + 1 > WIDTH - 10) lines.push(more + word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}

/** A string of Ruby; nothing in it is interpolated. */
function quote(text) {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function capital(text) {
  return text[0].toUpperCase() + text.slice(1);
}

function snake(name) {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replaceAll('-', '_');
}
