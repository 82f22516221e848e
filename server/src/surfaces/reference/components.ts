import type { TSchema } from 'typebox';
import type { Schema } from './example.ts';
import type { Answer, Reference } from './openapi.ts';

/** Named schemas and refusals occur once and are referenced. */
export interface Components {
  /**
   * The schema for the document: named parts as $ref, simplified for generators, with `documented` keywords.
   * Optional request fields may be null (platform/http/validator.ts).
   */
  use(schema: TSchema, place?: 'request'): Schema;
  answer(name: string, make: () => Answer): Reference;
  resolve(ref: string): Schema;
  all(): { schemas: Record<string, Schema>; responses: Record<string, Answer> };
}

const REF = '#/components/schemas/';
/** Allowed next to a $ref. */
const ANNOTATIONS = ['description', 'examples', 'default'];

export function createComponents(): Components {
  const named = new Map<string, Schema>();
  const answers = new Map<string, Answer>();

  function use(value: unknown, request: boolean): unknown {
    if (Array.isArray(value)) return value.map((each) => use(each, request));
    if (typeof value !== 'object' || value === null) return value;
    const { $id, documented, ...rest } = value as Schema;
    const said = plainly(
      Object.fromEntries(
        Object.entries({ ...rest, ...(documented as object | undefined) }).map(([key, each]) => [
          key,
          LITERAL.has(key) ? each : use(each, request),
        ]),
      ),
    );
    const written = request ? optionalMayBeNull(said) : said;
    if (written['properties'] !== undefined && written['headers'] !== undefined)
      throw new Error(`a schema has no header fields: say those of ${String($id)} under answers`);
    if (typeof $id === 'string') return refer($id, written);
    if (written['type'] === 'object' && written['properties'] !== undefined)
      throw new Error(
        `the schema of ${Object.keys(written['properties'] ?? {})} needs a name: give it an $id`,
      );
    return written;
  }

  function refer(name: string, schema: Schema): Schema {
    const known = named.get(name);
    if (known === undefined) {
      named.set(name, schema);
      return { $ref: REF + name };
    }
    if (JSON.stringify(withoutAnnotations(known)) !== JSON.stringify(withoutAnnotations(schema)))
      throw new Error(`two different schemas are called ${name}`);
    const said = ANNOTATIONS.filter(
      (key) => schema[key] !== undefined && JSON.stringify(schema[key]) !== JSON.stringify(known[key]),
    );
    return { $ref: REF + name, ...Object.fromEntries(said.map((key) => [key, schema[key]])) };
  }

  return {
    use: (schema, place) => use(schema, place === 'request') as Schema,
    answer(name, make) {
      if (!answers.has(name)) answers.set(name, make());
      return { $ref: `#/components/responses/${name}` };
    },
    resolve(ref) {
      const found = named.get(ref.slice(REF.length));
      if (found === undefined) throw new Error(`no schema is called ${ref}`);
      return found;
    },
    all: () => ({ schemas: byName(named), responses: byName(answers) }),
  };
}

/** Their values are no schemas. */
const LITERAL = new Set(['examples', 'default', 'const', 'enum', 'required']);

function byName<T>(parts: ReadonlyMap<string, T>): Record<string, T> {
  return Object.fromEntries([...parts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function withoutAnnotations(schema: Schema): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !ANNOTATIONS.includes(key)));
}

/** Simplified for generators. */
function plainly(schema: Schema): Schema {
  return typed(withNull(asEnum(schema)));
}

function asEnum(schema: Schema): Schema {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length === 0 || !anyOf.every((each) => typeof each?.const === 'string'))
    return schema;
  return { type: 'string', enum: anyOf.map((each) => each.const as string), ...rest };
}

function withNull(schema: Schema): Schema {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || anyOf[1]?.type !== 'null') return schema;
  const { type, enum: values, ...inner } = anyOf[0] as Schema;
  if (typeof type !== 'string') return schema;
  const nullableEnum = Array.isArray(values) && { enum: [...values, null] };
  return { type: [type, 'null'], ...nullableEnum, ...inner, ...rest };
}

function optionalMayBeNull(schema: Schema): Schema {
  const properties = schema['properties'] as Readonly<Record<string, Schema>> | undefined;
  if (properties === undefined || schema['type'] !== 'object') return schema;
  const required = new Set((schema['required'] as string[] | undefined) ?? []);
  const widened = Object.entries(properties).map(([name, property]) => [
    name,
    required.has(name) ? property : orNull(property),
  ]);
  return { ...schema, properties: Object.fromEntries(widened) };
}

function orNull(schema: Schema): Schema {
  const { type, $ref, ...rest } = schema;
  if (typeof $ref === 'string') return { anyOf: [{ $ref }, { type: 'null' }], ...rest };
  if (typeof type !== 'string') return schema;
  return withNull({ anyOf: [schema, { type: 'null' }] });
}

function typed(schema: Schema): Schema {
  if (schema['type'] !== undefined) return schema;
  const values = (schema['enum'] as unknown[] | undefined) ?? [schema['const']];
  return values.every((value) => typeof value === 'string') ? { type: 'string', ...schema } : schema;
}
