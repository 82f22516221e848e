import type { FastifySchema } from 'fastify';
import type { TSchema } from 'typebox';
import type { Components } from './components.ts';
import { exampleOf, type Schema } from './example.ts';
import type { Parameter } from './openapi.ts';

export function parametersOf(schema: FastifySchema, components: Components): Parameter[] {
  const groups = [
    ['path', schema.params],
    ['query', schema.querystring],
    ['header', schema.headers],
  ] as const;
  return groups.flatMap(([place, group]) => {
    const { properties = {}, required = [] } = (group ?? {}) as {
      properties?: Record<string, TSchema>;
      required?: string[];
    };
    return Object.entries(properties).map(([name, property]) =>
      parameter(place, name, required.includes(name), components.use(property), components),
    );
  });
}

function parameter(
  place: Parameter['in'],
  name: string,
  required: boolean,
  used: Schema,
  components: Components,
): Parameter {
  const { description, examples, ...schema } = used as Schema & {
    description?: string;
    examples?: readonly unknown[];
  };
  const example = examples?.[0] ?? (place === 'path' ? pathExample(schema, components) : undefined);
  return {
    name: nameOf(place, name),
    in: place,
    required: place === 'path' || required,
    ...(description !== undefined && { description }),
    schema,
    ...(example !== undefined && { example }),
  };
}

/** One of the values of an enum; else an id, which most paths take. */
function pathExample(schema: Schema, { resolve }: Components): unknown {
  const isEnum = schema['$ref'] !== undefined || schema['enum'] !== undefined;
  return exampleOf(isEnum ? schema : { type: 'string', format: 'uuid' }, resolve);
}

function nameOf(place: Parameter['in'], name: string): string {
  if (place === 'header') return name.replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
  return name === '*' ? 'path' : name;
}
