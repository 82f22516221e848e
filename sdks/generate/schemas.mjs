// JSON Schema, as far as the contract uses it, as the model's types. Anything else is an error: a new keyword
// needs a decision in every language.

/**
 * @typedef {{kind: 'string' | 'integer' | 'number' | 'boolean' | 'json' | 'null', values?: string[],
 *   format?: string} | {kind: 'array' | 'map', of: Type} | {kind: 'ref', name: string}
 *   | {kind: 'union', of: Type[]}} Type values: the known ones of an open enumeration; format: date-time,
 *   date, uuid. Both only tell: any text must be read.
 * @typedef {{name: string, type: Type, required: boolean, nullable: boolean,
 *   essential: boolean, doc: string}} Field
 *   essential: required, and the meaning is lost without it; of an answer the others may be missing, as an
 *   older server does not have them
 * @typedef {object} Schema
 * @property {string} name
 * @property {string} doc
 * @property {'object' | 'enum' | 'union'} kind
 * @property {Field[]} fields of an object
 * @property {string[]} values of an enum: those known today
 * @property {Type[]} of the alternatives of a union
 * @property {Type | null} additional what further fields of an object hold; null: the contract has none, and
 *   an answer may still gain some
 * @property {boolean} [input] requests hold it
 * @property {boolean} [output] answers or events hold it
 */

const REF = '#/components/schemas/';
/** Keywords that change no type: they demand or explain. */
const BESIDE_TYPES = new Set([
  ...['description', 'title', 'examples', 'default', 'not', 'pattern', 'minLength', 'maxLength'],
  ...['minimum', 'maximum', 'minItems', 'maxItems', 'uniqueItems', 'maxProperties', 'contentEncoding'],
]);
const OF_TYPES = new Set([
  ...['type', 'format', 'enum', 'const', '$ref', 'anyOf', 'items', 'properties', 'required'],
  'additionalProperties',
]);
const SIMPLE = new Set(['string', 'integer', 'number', 'boolean', 'null']);

/**
 * @param {string} name
 * @returns {Schema}
 */
export function readSchema(name, schema) {
  refuseUnknown(schema, name);
  const base = { name, doc: schema.description ?? '', fields: [], values: [], of: [], additional: null };
  if (schema.enum !== undefined) return { ...base, kind: 'enum', values: schema.enum };
  if (schema.anyOf !== undefined)
    return { ...base, kind: 'union', of: schema.anyOf.map((each) => typeOf(each, name).type) };
  if (schema.type !== 'object') throw new Error(`${name}: a named schema is an object, an enum or a union`);
  const { properties = {}, required = [], additionalProperties = false } = schema;
  return {
    ...base,
    kind: 'object',
    fields: Object.entries(properties).map(([field, each]) => ({
      name: field,
      ...typeOf(each, `${name}.${field}`),
      required: required.includes(field),
      doc: each.description ?? '',
    })),
    additional: additionalProperties === false ? null : typeOf(additionalProperties, name).type,
  };
}

/**
 * The type of a schema, and whether null may stand in its place.
 * @returns {{type: Type, nullable: boolean}}
 */
export function typeOf(schema, place = 'a schema') {
  if (schema === true) return { type: { kind: 'json' }, nullable: false };
  refuseUnknown(schema, place);
  if (schema.$ref !== undefined)
    return { type: { kind: 'ref', name: schema.$ref.slice(REF.length) }, nullable: false };
  if (schema.anyOf !== undefined) return eitherOf(schema.anyOf, place);
  if (schema.const !== undefined)
    return { type: { kind: 'string', values: [schema.const] }, nullable: false };
  // Nothing about the type: any JSON value, null among them.
  if (schema.type === undefined) return { type: { kind: 'json' }, nullable: false };
  const kinds = [schema.type].flat();
  const others = kinds.filter((kind) => kind !== 'null');
  const types = others.map((kind) => ofKind(kind, schema, place));
  return {
    type: types.length === 1 ? types[0] : { kind: 'union', of: types },
    nullable: others.length < kinds.length,
  };
}

function eitherOf(schemas, place) {
  const others = schemas.filter(({ type }) => type !== 'null');
  const types = others.map((each) => typeOf(each, place).type);
  return {
    type: types.length === 1 ? types[0] : { kind: 'union', of: types },
    nullable: others.length < schemas.length,
  };
}

function ofKind(kind, schema, place) {
  if (kind === 'array') return { kind: 'array', of: elementOf(schema.items, `${place}[]`) };
  if (kind === 'object') {
    if (schema.properties !== undefined)
      throw new Error(`${place}: an object with fields has a name: give its schema an $id`);
    return { kind: 'map', of: elementOf(schema.additionalProperties ?? true, place) };
  }
  if (!SIMPLE.has(kind)) throw new Error(`${place}: the generator knows no type ${JSON.stringify(kind)}`);
  const { format } = schema;
  const values = schema.enum?.filter((value) => value !== null);
  return { kind, ...(values === undefined ? {} : { values }), ...(format === undefined ? {} : { format }) };
}

/** The items of an array or a map: a null that may stand among it is a type of its own. */
function elementOf(schema, place) {
  const { type, nullable } = typeOf(schema, place);
  return nullable ? { kind: 'union', of: [type, { kind: 'null' }] } : type;
}

function refuseUnknown(schema, place) {
  for (const key of Object.keys(schema))
    if (!BESIDE_TYPES.has(key) && !OF_TYPES.has(key) && !key.startsWith('x-'))
      throw new Error(
        `${place}: the generator knows no ${key}: teach it in sdks/generate/schemas.mjs and every emitter`,
      );
}
