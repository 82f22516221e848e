import { camel, className, isTextOrTexts, pascal } from '../java-text.mjs';
import { bracketed, COMMON, escaped, isObject, Unwritable, unicodeEscape } from './layout.mjs';

export const setup = {
  imports: 'import dev.acuse.Acuse;\nimport dev.acuse.model.*;\nimport java.util.*;',
  code: 'var acuse = Acuse.fromEnv(); // ACUSE_API_KEY, ACUSE_URL',
};

/** Required fields up to this many are arguments of `builder`: sdks/generate/java-types.mjs. */
const MAX_ARGUMENTS = 3;
/** Longest query on one line. */
const QUERY_MAX_CHARS = 50;
/** Pairs of `Map.of`. */
const MAP_OF_MAX = 10;

/** @type {import('./index.mjs').Write} */
export function write({ operation, params, query, body, file, key }, table) {
  const { id, resource, method, result, bodyType, keyed } = operation;
  const schemas = new Map(Object.entries(table.schemas));
  const values = params.map((each) => text(each));
  if (file) values.push('Files.readAllBytes(Path.of("file"))');
  else if (body !== undefined) values.push(given(id, body, bodyType, schemas));
  if (keyed && id !== 'sendBatch') values.push(key === null ? 'null' : text(key));
  // Only under a key that the caller pinned.
  if (id === 'getLogCheckpoint') values.push('pinnedKey');
  if (Object.keys(query).length > 0) values.push(queryOf(query));
  const call = `acuse.${camel(resource)}().${camel(method)}(${values.join(', ')})`;
  const head = file ? 'import java.nio.file.Files;\nimport java.nio.file.Path;\n\n' : '';
  if (result === 'page') return `for (var item : ${call}) {\n  System.out.println(item);\n}`;
  if (id === 'sendBatch') return `for (var item : ${call}) {\n  System.out.println(item.status());\n}`;
  return head + (result === 'none' ? `${call};` : `var ${keyed ? 'sent' : 'result'} = ${call};`);
}

function given(id, body, bodyType, schemas) {
  if (bodyType === null) return `${text(body)}.getBytes(java.nio.charset.StandardCharsets.UTF_8)`;
  const wanted = id === 'sendBatch' ? { kind: 'array', of: { kind: 'ref', name: 'BatchItem' } } : bodyType;
  return literal(id === 'sendBatch' ? body.messages : body, wanted, schemas);
}

function queryOf(query) {
  const calls = Object.entries(query).map(([name, value]) => {
    const list = [value].flat().map((each) => (typeof each === 'string' ? text(each) : String(each)));
    return `.${camel(name)}(${list.join(', ')})`;
  });
  const line = `query -> query${calls.join('')}`;
  return line.length <= QUERY_MAX_CHARS ? line : ['query -> query', ...calls].join('\n    ');
}

function literal(value, type, schemas, indent = '') {
  const how = { indent, unit: '    ', trailing: false };
  switch (type.kind) {
    case 'array':
      return bracketed(
        ['List.of(', ')'],
        (of) => value.map((each) => literal(each, type.of, schemas, of)),
        how,
      );
    case 'map':
      return mapOf(value, (each, of) => literal(each, type.of, schemas, of), how);
    case 'json':
      return anything(value, indent);
    case 'integer':
      return `${value}L`;
    case 'number':
      return `${value}d`;
    case 'ref':
      return ofSchema(value, schemas.get(type.name), schemas, indent);
    default:
      return typeof value === 'string' ? text(value) : String(value);
  }
}

function ofSchema(value, schema, schemas, indent) {
  if (schema.kind === 'object') return builder(value, schema, schemas, indent);
  if (!Array.isArray(value)) return text(value);
  return bracketed(['List.of(', ')'], () => value.map((each) => text(each)), {
    ...{ indent, unit: '    ', trailing: false },
  });
}

function builder(value, schema, schemas, indent) {
  const { name, fields } = schema;
  const sure = fields.filter(({ required, nullable }) => required && !nullable);
  const asArguments = sure.length <= MAX_ARGUMENTS ? sure : [];
  const isArgument = (field) => asArguments.includes(field) && !isList(field, value, schemas);
  const inner = `${indent}    `;
  const start = asArguments.map((field) =>
    isArgument(field) && value[field.name] !== undefined
      ? literal(value[field.name], field.type, schemas, inner)
      : 'null',
  );
  const calls = Object.entries(value).flatMap(([key, each]) => {
    const field = fields.find((known) => known.name === key);
    if (field === undefined) throw new Unwritable(key);
    if (isArgument(field)) return [];
    if (each === null) return [`.clear${pascal(camel(key))}()`];
    return [`.${camel(key)}(${literal(each, field.type, schemas, inner)})`];
  });
  const head = `${className(name)}.builder(${start.join(', ')})`;
  const line = `${head}${[...calls, '.build()'].join('')}`;
  if (line.length <= 72 && !line.includes('\n')) return line;
  return [head, ...calls, '.build()'].join(`\n${inner}`);
}

/** The builder's argument is one text. */
function isList(field, value, schemas) {
  return isTextOrTexts(field.type, schemas) && Array.isArray(value[field.name]);
}

function mapOf(value, write, how) {
  const entries = Object.entries(value);
  // Map.of takes no null.
  if (entries.some(([, each]) => each === null)) throw new Unwritable('null in a map');
  if (entries.length <= MAP_OF_MAX)
    return bracketed(
      ['Map.of(', ')'],
      (of) => entries.map(([key, each]) => `${text(key)}, ${write(each, of)}`),
      how,
    );
  const parts = (of) => entries.map(([key, each]) => `Map.entry(${text(key)}, ${write(each, of)})`);
  return bracketed(['Map.ofEntries(', ')'], parts, how);
}

function anything(value, indent) {
  if (value === null) throw new Unwritable('null');
  if (typeof value === 'string') return text(value);
  if (typeof value === 'number') return Number.isInteger(value) ? `${value}L` : `${value}d`;
  if (typeof value !== 'object') return String(value);
  const how = { indent, unit: '    ', trailing: false };
  if (!isObject(value))
    return bracketed(['List.of(', ')'], (of) => value.map((each) => anything(each, of)), how);
  return mapOf(value, anything, how);
}

/** The compiler reads `\u000a` as a line break before it reads the literal, and some of these are one. */
function text(value) {
  return `"${escaped(value, { ...COMMON, '"': '\\"' }, (code) => unicodeEscape(code))}"`;
}
