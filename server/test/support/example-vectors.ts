import { exampleOf, type Schema } from '../../src/surfaces/reference/example.ts';
import type { OpenApiDocument } from '../../src/surfaces/reference/openapi.ts';
import { documentSchemas } from './json-schema.ts';

/**
 * contract/vectors/examples.json: instances of every schema of the contract. A library that decodes one and
 * encodes it again gives it back, so a field that it lacks shows.
 */

interface Examples {
  /** Every field, none of them null. */
  full: unknown;
  /** Only what is required, null where it may be. */
  minimal: unknown;
  /** Of enums all values, of unions one of each alternative. */
  others: unknown[];
  /** As a later server may answer: unknown fields and values. Not of this contract, and to be readable. */
  future?: unknown;
}

/** Deeper than any schema here. */
const DEPTH_MAX = 12;
const ANY_JSON = { text: 'ñ', list: [1, 2.5, true, null], object: {} };
const ADDED_LATER = { added_later: { deep: [1, 'two', null] } };
const LATER_VALUE = 'added_later';

export function exampleVectors(document: OpenApiDocument): object {
  const schemas = document['components'] as unknown as { schemas: Record<string, Schema> };
  const checks = documentSchemas(document);
  const maker = makerOf((ref) => schemas.schemas[ref.slice('#/components/schemas/'.length)]!);
  return Object.fromEntries(
    Object.keys(schemas.schemas)
      .sort()
      .map((name) => {
        const schema = schemas.schemas[name]!;
        const ref = { $ref: `#/components/schemas/${name}` };
        const problemOf = (value: unknown) => checks.problem(ref, value);
        const examples: Examples = {
          full: maker.full(schema),
          minimal: completed(maker.minimal(schema), maker.full(schema), problemOf),
          others: maker.others(schema),
        };
        for (const value of [examples.full, examples.minimal, ...examples.others]) {
          const problem = problemOf(value);
          if (problem !== null)
            throw new Error(`an example of ${name}: ${problem}: ${JSON.stringify(value)}`);
        }
        if (schema['properties'] !== undefined) examples.future = maker.future(schema);
        return [name, examples];
      }),
  );
}

/** A send needs one of its optional bodies: the first field that makes the least of it valid. */
function completed(minimal: unknown, full: unknown, problemOf: (value: unknown) => string | null): unknown {
  if (problemOf(minimal) === null) return minimal;
  const candidates = Object.entries(full as object).map(([key, value]) => ({
    ...(minimal as object),
    [key]: value,
  }));
  return candidates.find((each) => problemOf(each) === null) ?? minimal;
}

function makerOf(resolve: (ref: string) => Schema) {
  const followed = (schema: Schema): Schema =>
    typeof schema['$ref'] === 'string' ? resolve(schema['$ref']) : schema;

  function full(schema: Schema, depth = 0): unknown {
    return madeOf(schema, depth, (name, property) => [name, full(property, depth + 1)]);
  }

  function future(schema: Schema, depth = 0): unknown {
    const { enum: values, properties } = followed(schema);
    if (Array.isArray(values)) return LATER_VALUE;
    const made = madeOf(schema, depth, (name, property) => [name, future(property, depth + 1)]);
    return properties === undefined ? made : { ...(made as object), ...ADDED_LATER };
  }

  /** `field`: what a field becomes, as [name, value]. */
  function madeOf(
    given: Schema,
    depth: number,
    field: (name: string, property: Schema) => [string, unknown],
  ): unknown {
    const schema = followed(given);
    if (depth > DEPTH_MAX) throw new Error('a schema that never ends');
    const either = schema['anyOf'] as Schema[] | undefined;
    if (either !== undefined) {
      // Of a text or a list the list: it is what a library may lack.
      const [chosen] = either.filter(({ type }) => type !== 'null').reverse();
      return field('', chosen!)[1];
    }
    const [type] = [schema['type']].flat();
    if (schema['properties'] !== undefined)
      return Object.fromEntries(
        Object.entries(schema['properties'] as Record<string, Schema>).map(([name, each]) =>
          field(name, each),
        ),
      );
    if (type === 'array') {
      const examples = schema['examples'] as unknown[] | undefined;
      const items = (schema['items'] ?? {}) as Schema;
      const isPlain = followed(items)['properties'] === undefined;
      if (examples !== undefined && isPlain && (examples[0] as unknown[]).length > 0) return examples[0];
      return [field('', items)[1]];
    }
    if (type === 'object') return mapOf(schema, field);
    if (type === undefined && schema['const'] === undefined && schema['enum'] === undefined) return ANY_JSON;
    const examples = ((schema['examples'] ?? []) as unknown[]).filter((each) => each !== null);
    return exampleOf({ ...schema, examples }, resolve);
  }

  function mapOf(schema: Schema, field: (name: string, property: Schema) => [string, unknown]): unknown {
    const values = schema['additionalProperties'] as Schema | boolean | undefined;
    if (typeof values !== 'object' || Object.keys(values).length === 0) return ANY_JSON;
    const [name, value] = field('name', values);
    return { [name]: value };
  }

  function minimal(schema: Schema): unknown {
    const { properties, required = [], anyOf } = followed(schema);
    if (Array.isArray(anyOf)) return full((anyOf as Schema[]).find(({ type }) => type !== 'null')!);
    if (properties === undefined) return full(schema);
    return Object.fromEntries(
      Object.entries(properties as Record<string, Schema>)
        .filter(([name]) => (required as string[]).includes(name))
        .map(([name, property]) => [name, mayBeNull(property) ? null : minimal(property)]),
    );
  }

  function others(schema: Schema): unknown[] {
    if (Array.isArray(schema['enum'])) return schema['enum'];
    if (Array.isArray(schema['anyOf'])) return (schema['anyOf'] as Schema[]).map((each) => full(each));
    return [];
  }

  return { full, minimal, others, future };
}

function mayBeNull(schema: Schema): boolean {
  if ([schema['type']].flat().includes('null')) return true;
  const either = schema['anyOf'] as Schema[] | undefined;
  return either?.some(({ type }) => type === 'null') ?? false;
}
