// The types of the Rust library: objects, open enumerations, and what a request may be built of.
import { camel, docs, member, typeName } from './rust-words.mjs';

/** Fields that hold a secret, by schema. */
const SECRETS = new Set(['ApiKeyWithSecret.key', 'WebhookWithSecret.secret', 'OpenShare.secret']);

/** @typedef {import('./model.mjs').Type} Type */

/** @param {Type} type */
export function rustType(type) {
  switch (type.kind) {
    case 'string':
      return type.format === 'date-time' ? 'Timestamp' : 'String';
    case 'integer':
      return 'i64';
    case 'number':
      return 'f64';
    case 'boolean':
      return 'bool';
    case 'json':
      return 'Value';
    case 'array':
      return `Vec<${rustType(type.of)}>`;
    case 'map':
      return `BTreeMap<String, ${rustType(type.of)}>`;
    case 'ref':
      return typeName(type.name);
    default:
      return `Option<${rustType(theOther(type))}>`;
  }
}

function theOther({ of }) {
  const others = of.filter(({ kind }) => kind !== 'null');
  if (others.length !== 1) throw new Error('rust: a union of several types needs a name');
  return others[0];
}

/** The argument of a type, and how it becomes one: [type of the parameter, expression]. */
function given(type, name) {
  switch (type.kind) {
    case 'array':
      return [
        `impl IntoIterator<Item = impl Into<${rustType(type.of)}>>`,
        `${name}.into_iter().map(Into::into).collect()`,
      ];
    case 'map':
      return [
        `impl IntoIterator<Item = (impl Into<String>, impl Into<${rustType(type.of)}>)>`,
        `${name}.into_iter().map(|(key, value)| (key.into(), value.into())).collect()`,
      ];
    case 'integer':
    case 'number':
    case 'boolean':
      return [rustType(type), name];
    default:
      return [`impl Into<${rustType(type)}>`, `${name}.into()`];
  }
}

/** @param {import('./model.mjs').Schema} schema */
export function schemaCode(schema, model) {
  if (schema.kind === 'enum') return enumCode(schema);
  if (schema.kind === 'union') return unionCode(schema);
  return objectCode(schema, model);
}

function enumCode({ name, doc, values }) {
  const variants = values.map((value) => `        ${variant(value)} = "${value}",\n`).join('');
  const text = doc === '' ? `The contract's ${name}.` : doc;
  const head = docs(`${text} A later server may send others: they arrive as \`Other\`.`, '    ');
  return `open_enum! {\n${head}    pub enum ${typeName(name)} {\n${variants}    }\n}\n`;
}

export const variant = (value) => (value === '*' ? 'All' : camel(value));

function unionCode({ name, doc, of }) {
  const [one, many] = of;
  if (of.length !== 2 || one.kind !== 'string' || many.kind !== 'array' || many.of.kind !== 'string')
    throw new Error(`rust: ${name} is not a string or a list of strings: teach the emitter`);
  return `${docs(doc)}pub type ${typeName(name)} = OneOrMany;\n`;
}

/**
 * How a field is read and written: required, nullable, optional (absent), maybe (absent or null); usual and
 * usual_nullable are those that an older server may not have.
 */
function kindOf({ required, nullable, essential }) {
  if (required)
    return `${essential ? '' : 'usual_'}${nullable ? 'nullable' : 'required'}`.replace(
      'usual_required',
      'usual',
    );
  return nullable ? 'maybe' : 'optional';
}

const WRAPPED = {
  ...{ required: '', usual: '', nullable: 'Option', usual_nullable: 'Option' },
  ...{ optional: 'Option', maybe: 'Maybe' },
};

function fieldType(schema, field) {
  const bare = SECRETS.has(`${schema}.${field.name}`) ? 'Secret' : rustType(field.type);
  const around = WRAPPED[kindOf(field)];
  return around === '' ? bare : `${around}<${bare}>`;
}

function objectCode(schema, model) {
  const name = typeName(schema.name);
  const isSecret = schema.fields.some((field) => SECRETS.has(`${schema.name}.${field.name}`));
  const isHidden = schema.input || isSecret;
  const fields = schema.fields.map(
    (field) =>
      docs(field.doc === '' ? `The contract's \`${field.name}\`.` : field.doc, '    ') +
      `    pub ${member(field.name)}: ${fieldType(schema.name, field)},\n`,
  );
  const rows = schema.fields.map(
    (field) => `        ${kindOf(field)} ${member(field.name)} "${field.name}",\n`,
  );
  return [
    docs(schema.doc === '' ? `The contract's ${schema.name}.` : schema.doc),
    `#[derive(Clone, ${isHidden ? '' : 'Debug, '}PartialEq)]\n#[non_exhaustive]\n`,
    `pub struct ${name} {\n${fields.join('')}`,
    '    /// Fields that this version of the library does not know.\n    pub extra: Extra,\n}\n\n',
    `object! {\n    ${isHidden ? 'hidden' : 'shown'} ${name} {\n${rows.join('')}    }\n}\n`,
    schema.input ? `\n${builderCode(schema)}` : '',
    schema.name === 'BatchItem' ? `\n${itemOfSend(schema, model)}` : '',
  ].join('');
}

function builderCode(schema) {
  const name = typeName(schema.name);
  const needed = schema.fields.filter(({ required }) => required);
  const parameters = needed.map((field) => `${member(field.name)}: ${given(bareType(schema, field), '')[0]}`);
  const values = schema.fields.map((field) => {
    const text = given(field.type, member(field.name))[1];
    if (field.required) return assigned(member(field.name), field.nullable ? `Some(${text})` : text);
    return `            ${member(field.name)}: Default::default(),\n`;
  });
  const made = [
    `    /// A ${schema.name} with what it needs.\n    #[must_use]\n    pub fn new(${parameters.join(', ')}) -> Self {\n`,
    `        Self {\n${values.join('')}            extra: Extra::new(),\n        }\n    }\n`,
  ].join('');
  const optional = schema.fields.filter(({ required }) => !required);
  const setters = optional.map((field) => setterCode(field));
  const cleared = schema.name.endsWith('Change') ? optional.filter(({ nullable }) => nullable) : [];
  return `impl ${name} {\n${[made, ...setters, ...cleared.map(clearCode)].join('\n')}}\n${defaultCode(name, needed)}`;
}

function bareType(schema, field) {
  return SECRETS.has(`${schema.name}.${field.name}`) ? { kind: 'ref', name: 'Secret' } : field.type;
}

const assigned = (name, text) => `            ${name === text ? name : `${name}: ${text}`},\n`;

function defaultCode(name, needed) {
  if (needed.length > 0) return '';
  return `\nimpl Default for ${name} {\n    fn default() -> Self {\n        Self::new()\n    }\n}\n`;
}

function setterCode(field) {
  const name = member(field.name);
  const [type, text] = given(field.type, 'value');
  const wrap = field.nullable ? 'Maybe::Value' : 'Some';
  return [
    docs(field.doc === '' ? `Sets \`${field.name}\`.` : `Sets \`${field.name}\`: ${field.doc}`, '    '),
    `    #[must_use]\n    pub fn ${name}(mut self, value: ${type}) -> Self {\n`,
    `        self.${name} = ${wrap}(${text});\n        self\n    }\n`,
  ].join('');
}

function clearCode(field) {
  const name = member(field.name);
  return [
    `    /// Removes \`${field.name}\`: null is sent.\n`,
    `    #[must_use]\n    pub fn clear_${name.replace('r#', '')}(mut self) -> Self {\n`,
    `        self.${name} = Maybe::Null;\n        self\n    }\n`,
  ].join('');
}

/** A send is an item of a batch whose key is still to be made. */
function itemOfSend(schema, { schemas }) {
  const send = schemas.find(({ name }) => name === 'Send');
  const names = send.fields.map(({ name }) => name);
  const unknown = schema.fields.filter(({ name }) => name !== 'idempotency_key' && !names.includes(name));
  if (unknown.length > 0) throw new Error('rust: a BatchItem is more than a Send: teach the emitter');
  const moved = names.map((name) => `            ${member(name)}: send.${member(name)},\n`).join('');
  return [
    'impl From<Send> for BatchItem {\n    /// An item without a key: the batch makes one.\n',
    '    fn from(send: Send) -> Self {\n        Self {\n            idempotency_key: String::new(),\n',
    `${moved}            extra: send.extra,\n        }\n    }\n}\n\n`,
    'impl Send {\n    /// This send as an item of a batch, under a key of yours.\n    #[must_use]\n',
    '    pub fn keyed(self, idempotency_key: impl Into<String>) -> BatchItem {\n',
    '        BatchItem {\n            idempotency_key: idempotency_key.into(),\n',
    '            ..self.into()\n        }\n    }\n}\n',
  ].join('');
}
