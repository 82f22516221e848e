import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { Static, TSchema } from 'typebox';
import { didYouMean } from '../edit-distance.ts';

/**
 * JSON Schema validation by the contract's rules: bodies are never coerced, trimmed or defaulted, and an
 * unknown field is an error; in query and path, numbers and booleans are read from text.
 */
const forBodies = new Ajv({
  allErrors: false,
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: false,
  strict: false,
  validateFormats: false,
  // To suggest the field that was meant.
  verbose: true,
});
const forParameters = new Ajv({
  allErrors: false,
  coerceTypes: true,
  removeAdditional: false,
  useDefaults: true,
  strict: false,
  validateFormats: false,
});

export type Part = 'body' | 'parameters';

/**
 * Compiled on first use, because a process serves few of its hundreds of routes.
 * server/test/contract/registered.test.ts compiles all.
 */
function compiledLater(schema: object, part: Part): () => ValidateFunction {
  let compiled: ValidateFunction | null = null;
  return () => {
    compiled ??= compileSchema(schema, part);
    return compiled;
  };
}

function compileSchema(schema: object, part: Part): ValidateFunction {
  return (part === 'body' ? forBodies : forParameters).compile(withoutNames(schema) as object);
}

/** Ajv would treat each $id as a unique key. */
function withoutNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNames);
  if (typeof value !== 'object' || value === null) return value;
  const parts = Object.entries(value).filter(([key, part]) => key !== '$id' || typeof part !== 'string');
  return Object.fromEntries(parts.map(([key, part]) => [key, withoutNames(part)]));
}

/** Fastify's validator: true, false with `errors`, or the replacement value. */
export interface Validator {
  (value: unknown): boolean | { value: unknown };
  errors?: ErrorObject[] | null;
}

/** For a body, fields that are null for absent are dropped first. */
export function createValidator(schema: object, part: Part): Validator {
  const checkOf = compiledLater(schema, part);
  const leaveOut = part === 'body' ? absentFields(schema as TSchema) : null;
  const validate: Validator = (given) => {
    const check = checkOf();
    const value = leaveOut === null ? given : leaveOut(given);
    const ok = check(value) as boolean;
    validate.errors = check.errors ?? null;
    return ok && value !== given ? { value } : ok;
  };
  return validate;
}

export type Checked<T> = { ok: true; value: T } | { ok: false; problem: string };

/** For values parsed elsewhere. */
export function createChecker<S extends TSchema>(schema: S): (value: unknown) => Checked<Static<S>> {
  const validateOf = compiledLater(schema as object, 'body');
  const leaveOut = absentFields(schema);
  return (given) => {
    const validate = validateOf();
    const value = leaveOut === null ? given : leaveOut(given);
    return validate(value)
      ? { ok: true, value: value as Static<S> }
      : { ok: false, problem: describeProblem(validate.errors) };
  };
}

/** One sentence: the field's path, then what it should be. */
export function describeProblem(errors: readonly ErrorObject[] | null | undefined): string {
  const error = withinUnion(errors ?? []);
  if (error === undefined) return 'The body does not have the expected shape.';
  const at = fieldPath(error.instancePath);
  const name = at === '' ? 'The body' : at;
  switch (error.keyword) {
    case 'additionalProperties': {
      const field = String(error.params['additionalProperty']);
      const path = at === '' ? field : `${at}.${field}`;
      const meant = meantField(field, Object.keys(error.parentSchema?.['properties'] ?? {}));
      const fix = meant === undefined ? 'remove it or correct its spelling.' : `did you mean ${meant}?`;
      return `${path} is not a field of this request: ${fix}`;
    }
    case 'required': {
      const field = String(error.params['missingProperty']);
      return `${at === '' ? field : `${at}.${field}`} is required.`;
    }
    case 'type':
      return `${name} must be ${[error.params['type']].flat().map(withArticle).join(' or ')}.`;
    case 'enum':
      return `${name} must be one of ${(error.params['allowedValues'] as unknown[]).join(', ')}.`;
    case 'anyOf':
    case 'const':
      return `${name} is not one of the allowed values.`;
    default:
      return `${name} ${boundText(error)}.`;
  }
}

/** Other services' names of our fields. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  body: 'text',
  data: 'variables',
  domain: 'name',
  params: 'variables',
  template: 'template_id',
};

/** The known field that was probably meant. */
function meantField(field: string, known: readonly string[]): string | undefined {
  const ours = Object.hasOwn(OTHER_NAMES, field) ? OTHER_NAMES[field]! : undefined;
  return ours !== undefined && known.includes(ours) ? ours : didYouMean(field, known);
}

function boundText({ keyword, params, message }: ErrorObject): string {
  const limit = Number(params['limit']);
  const count = (what: string) => `${limit} ${what}${limit === 1 ? '' : 's'}`;
  switch (keyword) {
    case 'maxLength':
      return `may have at most ${count('character')}`;
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have at least ${count('character')}`;
    case 'maximum':
      return `must be ${limit} or less`;
    case 'minimum':
      return `must be ${limit} or more`;
    case 'maxItems':
      return `may have at most ${count('item')}`;
    case 'minItems':
      return limit === 1 ? 'must not be empty' : `must have at least ${count('item')}`;
    case 'maxProperties':
      return `may have at most ${count('field')}`;
    case 'minProperties':
      return `must have at least ${count('field')}`;
    case 'uniqueItems':
      return 'must not have the same item twice';
    case 'pattern':
      return 'has a character that is not allowed, or not the form that is';
    case 'not':
      return 'is not one of the allowed values';
    default:
      return message ?? 'is not valid';
  }
}

/** The first problem; in a union, the deepest one, or else all allowed types. */
function withinUnion(errors: readonly ErrorObject[]): ErrorObject | undefined {
  const [first] = errors;
  const union = errors.at(-1);
  if (first === undefined || union?.keyword !== 'anyOf') return first;
  const inside = errors.find((error) => error.instancePath.length > union.instancePath.length);
  if (inside !== undefined) return inside;
  if (errors.some(({ keyword }) => keyword !== 'type' && keyword !== 'anyOf')) return first;
  const types = errors.slice(0, -1).map(({ params }) => String(params['type']));
  return { ...first, params: { type: types } };
}

function withArticle(type: string): string {
  if (type === 'null') return type;
  return /^[aio]/.test(type) ? `an ${type}` : `a ${type}`;
}

function fieldPath(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(
      (path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path === '' ? part : `${path}.${part}`),
      '',
    );
}

/** `null` for an optional field means absent, in every body. A field whose schema takes null keeps it. */

/** Returns the same value if nothing is left out; never changes its input. */
type LeaveOut = (value: unknown) => unknown;

interface Shape {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
  readonly items?: TSchema;
  readonly anyOf?: readonly TSchema[];
}

/** Null when the schema has no such field. */
export function absentFields(schema: TSchema): LeaveOut | null {
  const { properties, required = [], items } = schema as Shape;
  if (properties !== undefined) return inObject(properties, new Set(required));
  const inItem = items === undefined ? null : absentFields(items);
  return inItem === null ? null : inArray(inItem);
}

function inArray(inItem: LeaveOut): LeaveOut {
  return (value) => {
    if (!Array.isArray(value)) return value;
    let made: unknown[] | null = null;
    for (let at = 0; at < value.length; at++) {
      const item = inItem(value[at]);
      if (item === value[at]) continue;
      made ??= [...value];
      made[at] = item;
    }
    return made ?? value;
  };
}

function inObject(properties: Readonly<Record<string, TSchema>>, required: ReadonlySet<string>): LeaveOut {
  const optional = new Set(
    Object.keys(properties).filter((name) => !required.has(name) && !takesNull(properties[name]!)),
  );
  const deeper = new Map(
    Object.entries(properties).flatMap(([name, each]) => {
      const inside = absentFields(each);
      return inside === null ? [] : [[name, inside] as const];
    }),
  );
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const given = value as Readonly<Record<string, unknown>>;
    let made: Record<string, unknown> | null = null;
    for (const name in given) {
      const field = given[name];
      if (field === null) {
        if (!optional.has(name)) continue;
        made ??= { ...given };
        delete made[name];
      } else if (typeof field === 'object') {
        const inside = deeper.get(name);
        const kept = inside === undefined ? field : inside(field);
        if (kept === field) continue;
        made ??= { ...given };
        made[name] = kept;
      }
    }
    return made ?? given;
  };
}

function takesNull(schema: TSchema): boolean {
  const { type, anyOf } = schema as Shape;
  return type === 'null' || (Array.isArray(type) && type.includes('null')) || (anyOf ?? []).some(takesNull);
}
