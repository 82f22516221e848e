/**
 * True if an answer has what the contract promises. What it has beyond that is kept: a newer server may say
 * more.
 */
import type { Fields, Shape } from './operation.ts';

/** Levels that an answer is looked into. */
const DEPTH_MAX = 32;

/** Where the value differs from its shape, in words; undefined: nowhere. */
export function misfit(
  value: unknown,
  shape: Shape,
  schemas: Readonly<Record<string, Fields>>,
  place = 'the answer',
  depth = DEPTH_MAX,
): string | undefined {
  if (depth === 0) return undefined;
  if (shape.startsWith('?')) {
    return value === null ? undefined : misfit(value, shape.slice(1), schemas, place, depth);
  }
  if (shape.endsWith('[]')) {
    if (!Array.isArray(value)) return `${place} is not a list`;
    const inner = shape.slice(0, -2);
    return first(value.entries(), ([at, each]) => misfit(each, inner, schemas, `${place}[${at}]`, depth - 1));
  }
  if (shape.endsWith('{}')) {
    if (!isObject(value)) return `${place} is not an object`;
    const inner = shape.slice(0, -2);
    return first(Object.entries(value), ([name, each]) =>
      misfit(each, inner, schemas, `${place}.${name}`, depth - 1),
    );
  }
  const required = schemas[shape];
  if (required === undefined) return simple(value, shape, place);
  if (!isObject(value)) return `${place} is not an object`;
  return first(Object.entries(required), ([field, inner]) => {
    const optional = field.endsWith('?');
    const name = optional ? field.slice(0, -1) : field;
    if (!Object.hasOwn(value, name)) return optional ? undefined : `${place} has no ${name}`;
    return misfit(value[name], inner, schemas, `${place}.${name}`, depth - 1);
  });
}

function simple(value: unknown, kind: string, place: string): string | undefined {
  if (kind === 'any') return undefined;
  const fits = kind === 'integer' ? Number.isSafeInteger(value) : typeof value === kind;
  return fits ? undefined : `${place} is not ${kind === 'integer' ? 'an integer' : `a ${kind}`}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function first<T>(items: Iterable<T>, look: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = look(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
