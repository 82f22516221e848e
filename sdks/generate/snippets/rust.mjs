import { member, snake, typeName } from '../rust-words.mjs';
import { bracketed, COMMON, escaped, hex, isObject, Unwritable } from './layout.mjs';

export const setup = {
  imports: 'use acuse::types::*;\nuse acuse::{Acuse, Key};',
  code: 'let acuse = Acuse::from_env()?; // ACUSE_API_KEY, ACUSE_URL',
};

const LINE_MAX_CHARS = 72;
/** A chain that begins within a longer line. */
const CHAIN_MAX_CHARS = 48;

/** @type {import('./index.mjs').Write} */
export function write({ operation, params, query, body, file, key }, { schemas }) {
  const { id, resource, method, result, bodyType, keyed } = operation;
  const values = params.map((each) => text(each));
  if (file) values.push('std::fs::read("file").expect("a file")');
  else if (body !== undefined) values.push(given(id, body, bodyType, schemas));
  if (keyed && id !== 'sendBatch') values.push(key === null ? 'Key::Auto' : `Key::given(${text(key)})`);
  // Only under a key that the caller pinned.
  const isPinned = id === 'getLogCheckpoint';
  if (isPinned) values.push('pinned_key');
  const name = isPinned ? 'pinned_checkpoint' : member(method);
  const call = chain(`acuse.${snake(resource)}().${name}(${values.join(', ')})`, settersOf(query));
  const head = call.includes('json!') ? 'use serde_json::json;\n\n' : '';
  if (result === 'page') return `for item in ${call} {\n    println!("{:?}", item?);\n}`;
  if (id === 'sendBatch') return `for item in ${call}? {\n    println!("{}", item.status.as_str());\n}`;
  const sent =
    operation.query.length > 0 ? `${call}${call.includes('\n') ? '\n    ' : ''}.send()?` : `${call}?`;
  return head + (result === 'none' ? `${sent};` : `let ${keyed ? 'sent' : 'result'} = ${sent};`);
}

function chain(start, calls, indent = '') {
  const line = [start, ...calls].join('');
  if (calls.length === 0 || (line.length <= CHAIN_MAX_CHARS && !line.includes('\n'))) return line;
  return [start, ...calls].join(`\n${indent}    `);
}

function settersOf(query) {
  return Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((each) => `.${member(name)}(${typeof each === 'string' ? text(each) : each})`),
  );
}

function given(id, body, bodyType, schemas) {
  if (bodyType === null) return text(body);
  if (id !== 'sendBatch') return `&${literal(body, bodyType, schemas)}`;
  return literal(body.messages, { kind: 'array', of: { kind: 'ref', name: 'BatchItem' } }, schemas);
}

/** The Rust type of a value that is only sent. */
function rustType(type, schemas) {
  switch (type.kind) {
    case 'array':
      return `Vec<${rustType(type.of, schemas)}>`;
    case 'integer':
      return 'i64';
    case 'number':
      return 'f64';
    case 'boolean':
      return 'bool';
    case 'json':
      return 'serde_json::Value';
    case 'ref':
      return typeName(type.name);
    default:
      return 'String';
  }
}

function literal(value, type, schemas, indent = '') {
  const how = { indent, unit: '    ' };
  if (type.kind === 'json') return `json!(${jsonText(value)})`;
  if (type.kind === 'array') {
    if (value.length === 0) return `Vec::<${rustType(type.of, schemas)}>::new()`;
    return bracketed(['[', ']'], (of) => value.map((each) => literal(each, type.of, schemas, of)), how);
  }
  if (type.kind === 'map') return mapOf(value, type, schemas, how);
  if (type.kind === 'number') return `${value}_f64`;
  if (type.kind !== 'ref') return typeof value === 'string' ? text(value) : String(value);
  const schema = schemas[type.name];
  if (schema.kind === 'object') return builder(value, schema, schemas, indent);
  return Array.isArray(value)
    ? bracketed(['[', ']'], () => value.map((each) => text(each)), how)
    : text(value);
}

/** Pairs, whose values are of one type. */
function mapOf(value, type, schemas, how) {
  const entries = Object.entries(value);
  if (entries.length === 0)
    return `std::collections::BTreeMap::<String, ${rustType(type.of, schemas)}>::new()`;
  const allTexts = entries.every(([, each]) => typeof each === 'string');
  const parts = (of) =>
    entries.map(
      ([key, each]) => `(${text(key)}, ${allTexts ? text(each) : literal(each, type.of, schemas, of)})`,
    );
  return bracketed(['[', ']'], parts, how);
}

function builder(value, { name, fields }, schemas, indent) {
  const inner = `${indent}    `;
  const needed = fields.filter(({ required }) => required);
  const start = needed.map((field) => {
    const each = value[field.name];
    if (each === undefined || each === null) throw new Unwritable(field.name);
    return literal(each, field.type, schemas, inner);
  });
  const calls = Object.entries(value).flatMap(([key, each]) => {
    const field = fields.find((known) => known.name === key);
    if (field === undefined || (each === null && !name.endsWith('Change'))) throw new Unwritable(key);
    if (field.required) return [];
    if (each === null) return [`.clear_${member(key).replace('r#', '')}()`];
    return [`.${member(key)}(${literal(each, field.type, schemas, inner)})`];
  });
  const made = `${typeName(name)}::new(${start.join(', ')})`;
  const line = [made, ...calls].join('');
  return line.length <= LINE_MAX_CHARS && !line.includes('\n') ? line : chain(made, calls, indent);
}

function jsonText(value) {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return `[${value.map(jsonText).join(', ')}]`;
  if (!isObject(value)) return String(value);
  const pairs = Object.entries(value).map(([key, each]) => `${text(key)}: ${jsonText(each)}`);
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`;
}

function text(value) {
  return `"${escaped(value, { ...COMMON, '"': '\\"' }, (code) => `\\u{${hex(code, 1)}}`)}"`;
}
