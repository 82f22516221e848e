/** The operation: by resource and method, by its operationId, or by method and path. */
import { OPERATIONS } from '../contract-generated.ts';
import type { Operation } from '../operation.ts';
import { UsageError } from './usage.ts';

const ALL: readonly Operation[] = Object.values(OPERATIONS);

/** An operation, and what was typed of its path and query. */
export interface Meant {
  readonly operation: Operation;
  readonly path: Record<string, string>;
  readonly query: Record<string, string>;
}

/** Throws UsageError, which says what there is. */
export function meantBy(words: readonly string[]): Meant {
  const [first = '', second = ''] = words;
  if (/^[A-Za-z]+$/.test(first) && second.startsWith('/')) {
    if (words.length > 2) throw new UsageError(`${first} ${second} takes no argument after its path.`);
    return byPath(first.toUpperCase(), second);
  }
  const byId = ALL.find(({ id }) => id === first);
  const operation = byId ?? byName(first, second);
  const values = words.slice(byId === undefined ? 2 : 1);
  const names = parametersOf(operation);
  if (values.length !== names.length)
    throw new UsageError(
      `${operation.name} takes ${names.length === 0 ? 'no argument' : names.map((name) => `<${name}>`).join(' ')}.`,
    );
  return {
    operation,
    path: Object.fromEntries(names.map((name, at) => [name, values[at]!])),
    query: {},
  };
}

export function parametersOf({ path }: Operation): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
}

/** As it is typed: `rotate-secret` for `rotateSecret`. */
export function typed(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

const camel = (text: string) => text.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

function byName(resource: string, method: string): Operation {
  const name = `${camel(resource)}.${camel(method)}`;
  const operation = ALL.find((each) => each.name === name);
  if (operation !== undefined) return operation;
  const methods = methodsOf(resource);
  if (methods.length === 0)
    throw new UsageError(
      `There is no resource or operation ${resource}; the resources are ${resourceNames()}.`,
    );
  const known = methods.map((each) => typed(each.name.split('.')[1]!)).join(', ');
  const wrong = method === '' ? 'needs a method' : `has no method ${method}`;
  throw new UsageError(`${resource} ${wrong}; it has ${known}.`);
}

/** The operations of a resource; none for an unknown one. */
export function methodsOf(resource: string): readonly Operation[] {
  return ALL.filter(({ name }) => name.startsWith(`${camel(resource)}.`));
}

function resourceNames(): string {
  return [...new Set(ALL.map(({ name }) => typed(name.split('.')[0]!)))].join(', ');
}

/** The first operation with this path; it takes and answers JSON or the usual file. */
function byPath(http: string, typedPath: string): Meant {
  const [way = '', search = ''] = typedPath.split('?', 2);
  const parts = way.split('/');
  for (const operation of ALL) {
    const path = operation.http === http ? match(operation.path.split('/'), parts) : undefined;
    if (path !== undefined)
      return { operation, path, query: Object.fromEntries(new URLSearchParams(search)) };
  }
  const others = ALL.filter(({ path }) => match(path.split('/'), parts) !== undefined);
  const known = [...new Set(others.map((each) => each.http))].join(', ');
  throw new UsageError(
    known === ''
      ? `No operation has the path ${way}: paths begin with /v1, /log or /prove.`
      : `${way} takes ${known}, not ${http}.`,
  );
}

/** The values of the parameters; undefined: another path. */
function match(wanted: readonly string[], parts: readonly string[]): Record<string, string> | undefined {
  const path: Record<string, string> = {};
  for (const [at, each] of wanted.entries()) {
    const name = /^\{(\w+)\}$/.exec(each)?.[1];
    // A path of the log's own, with its slashes.
    const part = name === 'path' ? parts.slice(at).join('/') : parts[at];
    if (name === undefined ? part !== each : part === undefined || part === '') return undefined;
    if (name !== undefined) path[name] = decoded(part!);
  }
  return parts.length === wanted.length || wanted.at(-1) === '{path}' ? path : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new UsageError(`The path has a % that is not the start of an escape: ${text}.`);
  }
}
