import type { TSchema } from 'typebox';
import type { Schema } from './example.ts';
import type { Answer, Reference } from './openapi.ts';

/**
 * The named parts of the document: a schema with an $id, and each distinct refusal, stands once and is
 * referred to.
 */
export interface Components {
  /** The schema as it stands in the document: named parts as $ref, unions of constants as enums. */
  use(schema: TSchema): Schema;
  addSchema(name: string, schema: TSchema): void;
  /** A reference to the answer of this name, made at its first use. */
  answer(name: string, make: () => Answer): Reference;
  resolve(ref: string): Schema;
  /** By name. */
  all(): { schemas: Record<string, Schema>; responses: Record<string, Answer> };
}

const REF = '#/components/schemas/';

export function createComponents(): Components {
  const named = new Map<string, Schema>();
  const answers = new Map<string, Answer>();

  function use(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(use);
    if (typeof value !== 'object' || value === null) return value;
    const { $id, ...rest } = value as Schema;
    const written = asEnum(Object.fromEntries(Object.entries(rest).map(([key, each]) => [key, use(each)])));
    if (typeof $id !== 'string') return written;
    const known = named.get($id);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(written))
      throw new Error(`two different schemas are called ${$id}`);
    named.set($id, written);
    return { $ref: REF + $id };
  }

  return {
    use: (schema) => use(schema) as Schema,
    addSchema: (name, schema) => void named.set(name, use(schema) as Schema),
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

function byName<T>(parts: ReadonlyMap<string, T>): Record<string, T> {
  return Object.fromEntries([...parts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** `anyOf` of string constants reads better as one enum, and generators make better types of it. */
function asEnum(schema: Schema): Schema {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length === 0 || !anyOf.every((each) => typeof each?.const === 'string'))
    return schema;
  return { type: 'string', enum: anyOf.map((each) => each.const as string), ...rest };
}
