import { exported, goName, typeName } from '../go-names.mjs';
import { bracketed, COMMON, escaped, hex, isObject, Unwritable, unicodeEscape } from './layout.mjs';

export const setup = {
  imports: 'import (\n\t"context"\n\t"fmt"\n\t"log"\n\n\t"acuse.dev/go"\n)',
  code: [
    'c, err := acuse.New() // ACUSE_API_KEY, ACUSE_URL',
    'if err != nil {\n\tlog.Fatal(err)\n}',
    'ctx := context.Background()',
  ].join('\n'),
};

/** @type {import('./index.mjs').Write} */
export function write({ operation, params, query, body, file, key }, { schemas }) {
  const { id, operationId, resource, method, result, bodyType, keyed } = operation;
  const values = ['ctx', ...params.map((each) => text(each))];
  if (operation.query.length > 0) values.push(queryOf(operationId, operation.query, query));
  if (file) values.push('file');
  else if (body !== undefined) values.push(given(id, body, bodyType, schemas));
  else if (bodyType !== undefined) values.push(`acuse.${typeName(bodyType?.name ?? '')}{}`);
  if (keyed && id !== 'sendBatch') values.push(text(key ?? ''));
  // Only under a key that the caller pinned.
  const isPinned = id === 'getLogCheckpoint';
  if (isPinned) values.push('pinnedKey');
  const name = isPinned ? 'PinnedCheckpoint' : exported(method);
  const call = `c.${exported(resource)}.${name}(${values.join(', ')})`;
  const head = file ? 'file, err := os.ReadFile("file")\nif err != nil {\n\treturn err\n}\n' : '';
  return head + used(call, { id, result });
}

const FAILED = '\n\tif err != nil {\n\t\treturn err\n\t}';

function used(call, { id, result }) {
  if (result === 'page') return `for item, err := range ${call} {${FAILED}\n\tfmt.Println(item)\n}`;
  if (id === 'sendBatch') {
    const loop = 'for _, item := range results {\n\tfmt.Println(item.Status)\n}';
    return `results, err := ${call}\nif err != nil {\n\treturn err\n}\n${loop}`;
  }
  return result === 'none' ? `err := ${call}` : `result, err := ${call}`;
}

function given(id, body, bodyType, schemas) {
  if (bodyType === null) return `[]byte(${text(body)})`;
  if (id === 'sendBatch')
    return literal(body.messages, { kind: 'array', of: { kind: 'ref', name: 'BatchItem' } }, schemas);
  return literal(body, bodyType, schemas);
}

function queryOf(operationId, known, query) {
  const type = `acuse.${exported(operationId)}`;
  const parts = Object.entries(query).map(([name, value]) => {
    const { type: of } = known.find((each) => each.name === name);
    return `${goName(name)}: ${queryValue(value, of)}`;
  });
  return pairs(type, () => parts, { indent: '', unit: '\t' });
}

function queryValue(value, type) {
  if (type.kind === 'boolean') return `acuse.Some(${value})`;
  if (!Array.isArray(value)) return typeof value === 'string' ? text(value) : String(value);
  if (value.length === 1) return text(value[0]);
  const of = type.of.kind === 'ref' ? `[acuse.${typeName(type.of.name)}]` : '';
  return `acuse.OneOf${of}(${value.map((each) => text(each)).join(', ')})`;
}

/** The Go type of a value that is only sent. */
function goType(type, schemas) {
  switch (type.kind) {
    case 'array':
      return `[]${goType(type.of, schemas)}`;
    case 'map':
      return `map[string]${goType(type.of, schemas)}`;
    case 'ref':
      return `acuse.${typeName(type.name)}`;
    case 'string':
      return type.format === 'date-time' ? 'acuse.Time' : 'string';
    default:
      return { integer: 'int64', number: 'float64', boolean: 'bool', json: 'any' }[type.kind] ?? none(type);
  }
}

function literal(value, type, schemas, indent = '', elided = false) {
  const how = { indent, unit: '\t' };
  const name = elided ? '' : goType(type, schemas);
  if (type.kind === 'json') return anything(value, indent);
  if (type.kind === 'array') {
    const parts = (of) =>
      value.map((each) => literal(each, type.of, schemas, of, isStruct(type.of, schemas)));
    return bracketed([`${name}{`, '}'], parts, how);
  }
  if (type.kind === 'map') {
    const parts = (of) =>
      Object.entries(value).map(([key, each]) => `${text(key)}: ${literal(each, type.of, schemas, of)}`);
    return pairs(name, parts, how);
  }
  if (type.kind !== 'ref') return typeof value === 'string' ? text(value) : String(value);
  const schema = schemas[type.name];
  if (schema.kind === 'union')
    return Array.isArray(value)
      ? bracketed(['[]string{', '}'], () => value.map((each) => text(each)), how)
      : text(value);
  if (schema.kind === 'enum') return text(value);
  const parts = (of) => Object.entries(value).map(([key, each]) => field(key, each, schema, schemas, of));
  return pairs(name, parts, how);
}

/** As gofmt has them: where each pair has a line, the values of neighbours begin in one column. */
function pairs(name, parts, how) {
  const plain = bracketed([`${name}{`, '}'], parts, how);
  if (!plain.includes('\n')) return plain;
  return bracketed([`${name}{`, '}'], (of) => aligned(parts(of)), how);
}

function aligned(items) {
  const keys = items.map((item) =>
    item.includes('\n') ? null : /^(?:"(?:[^"\\]|\\.)*"|\w+): /.exec(item)[0],
  );
  const runs = runsOf(keys);
  return items.map((item, at) => {
    const run = runs.find(({ from, to }) => from <= at && at < to);
    if (keys[at] === null || run === undefined) return item;
    const width = Math.max(...keys.slice(run.from, run.to).map((key) => [...key].length));
    return keys[at].padEnd(width) + item.slice(keys[at].length);
  });
}

/** Bytes of a key up to which its length breaks no column; beyond it, how far it may be from the others'. */
const SMALL_BYTES = 40;
const RATIO = 2.5;

/** Neighbours in one column, as go/printer decides (exprList): a pair of several lines ends one. */
function runsOf(keys) {
  const sizes = keys.map((key) => (key === null ? 0 : new TextEncoder().encode(key).length - 2));
  const runs = [];
  for (const [at, size] of sizes.entries()) {
    const run = runs.at(-1);
    const before = sizes[at - 1] ?? 0;
    const goesOn =
      before > 0 && size > 0 && (Math.max(before, size) <= SMALL_BYTES || isNear(size, sizes, run));
    if (goesOn) run.to = at + 1;
    else runs.push({ from: at, to: at + 1 });
  }
  return runs;
}

function isNear(size, sizes, { from, to }) {
  const logs = sizes.slice(from, to).map(Math.log);
  const ratio = size / Math.exp(logs.reduce((sum, each) => sum + each, 0) / logs.length);
  return RATIO * ratio > 1 && ratio < RATIO;
}

const isStruct = (type, schemas) => type.kind === 'ref' && schemas[type.name].kind === 'object';

function field(key, value, schema, schemas, indent) {
  const known = schema.fields.find(({ name }) => name === key);
  if (known === undefined) throw new Unwritable(key);
  return `${goName(key)}: ${optional(value, known, schemas, indent)}`;
}

/** As the generator of the library decides which fields are optional: sdks/generate/go.mjs. */
function optional(value, { type, required, nullable }, schemas, indent) {
  const isUnion = type.kind === 'ref' && schemas[type.name].kind === 'union';
  const emptyIsAbsent = ['array', 'map'].includes(type.kind) || isUnion;
  if (!(required ? nullable : !emptyIsAbsent)) return literal(value, type, schemas, indent);
  if (value === null) return `acuse.Null[${goType(type, schemas)}]()`;
  const of = literal(value, type, schemas, indent);
  const plain = ['string', 'bool', 'any'].includes(goType(type, schemas)) || isStruct(type, schemas);
  return `acuse.Some(${plain ? of : `${goType(type, schemas)}(${of})`})`;
}

function anything(value, indent) {
  if (value === null) return 'nil';
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'object') return String(value);
  const how = { indent, unit: '\t' };
  if (!isObject(value))
    return bracketed(['[]any{', '}'], (of) => value.map((each) => anything(each, of)), how);
  const parts = (of) => Object.entries(value).map(([key, each]) => `${text(key)}: ${anything(each, of)}`);
  return pairs('map[string]any', parts, how);
}

const unseen = (code) => (code > 0xffff ? `\\U${hex(code, 8)}` : unicodeEscape(code));

function text(value) {
  return `"${escaped(value, { ...COMMON, '"': '\\"' }, unseen)}"`;
}

function none(type) {
  throw new Unwritable(type.kind);
}
