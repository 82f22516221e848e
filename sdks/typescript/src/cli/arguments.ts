/** The arguments of `acuse-api`, as they are typed. */
import { readFile } from 'node:fs/promises';
import { OPERATIONS } from '../contract-generated.ts';
import type { Operation } from '../operation.ts';

/** What was typed cannot be run. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export interface Wanted {
  readonly operation: Operation;
  readonly path: Record<string, string>;
  readonly query: Record<string, string>;
  readonly body: Uint8Array | undefined;
  readonly idempotencyKey: string | undefined;
  readonly json: boolean;
  readonly dryRun: boolean;
}

interface Typed {
  readonly words: string[];
  readonly options: Map<string, string>;
  readonly flags: Set<string>;
}

const FLAGS: ReadonlySet<string> = new Set(['json', 'dry-run', 'help']);

/** undefined: help was asked for, or nothing at all. Throws UsageError. */
export async function readArguments(given: readonly string[]): Promise<Wanted | undefined> {
  const { words, options, flags } = split(given);
  if (flags.has('help') || words.length === 0) return undefined;
  const [resource, method, ...values] = words;
  const operation = find(resource ?? '', method);
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  if (values.length !== names.length)
    throw new UsageError(
      `${words.slice(0, 2).join(' ')} takes ${names.length === 0 ? 'no argument' : names.map((name) => `<${name}>`).join(' ')}.`,
    );
  return {
    operation,
    path: Object.fromEntries(names.map((name, at) => [name, values[at]!])),
    query: queryOf(operation, options),
    body: await bodyOf(operation, options),
    idempotencyKey: keyOf(operation, options),
    json: flags.has('json'),
    dryRun: flags.has('dry-run'),
  };
}

function split(given: readonly string[]): Typed {
  const typed: Typed = { words: [], options: new Map(), flags: new Set() };
  for (let at = 0; at < given.length; at++) {
    const word = given[at]!;
    if (!word.startsWith('--')) {
      typed.words.push(word);
      continue;
    }
    const equals = word.indexOf('=');
    const name = word.slice(2, equals === -1 ? undefined : equals);
    if (FLAGS.has(name)) {
      typed.flags.add(name);
      continue;
    }
    const value = equals === -1 ? given[++at] : word.slice(equals + 1);
    if (value === undefined) throw new UsageError(`--${name} needs a value.`);
    typed.options.set(name, value);
  }
  return typed;
}

/** `rotate-secret` is `rotateSecret`. */
function find(resource: string, method: string | undefined): Operation {
  const camel = (text: string) => text.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const name = `${camel(resource)}.${camel(method ?? '')}`;
  const operation = (OPERATIONS as Readonly<Record<string, Operation>>)[name];
  if (operation !== undefined) return operation;
  const known = Object.keys(OPERATIONS).filter((each) => each.startsWith(`${camel(resource)}.`));
  if (known.length === 0) throw new UsageError(`There is no resource ${resource}: acuse-api lists them.`);
  const methods = known.map((each) => each.split('.')[1]).join(', ');
  throw new UsageError(`${resource} has no method ${method ?? ''}; it has ${methods}.`);
}

function queryOf(operation: Operation, options: ReadonlyMap<string, string>): Record<string, string> {
  const query: Record<string, string> = {};
  for (const [name, value] of options) {
    if (name === 'data' || name === 'key') continue;
    const parameter = name.replace(/-/g, '_');
    if (!operation.query.includes(parameter)) {
      const known = operation.query.map((each) => `--${each.replace(/_/g, '-')}`).join(', ');
      throw new UsageError(
        `${operation.name} has no option --${name}${known === '' ? '' : `; it has ${known}`}.`,
      );
    }
    query[parameter] = value;
  }
  return query;
}

async function bodyOf(
  operation: Operation,
  options: ReadonlyMap<string, string>,
): Promise<Uint8Array | undefined> {
  const data = options.get('data');
  if (operation.media === null) {
    if (data !== undefined) throw new UsageError(`${operation.name} takes no --data.`);
    return undefined;
  }
  if (data === undefined) {
    if (operation.media === 'application/json') return new TextEncoder().encode('{}');
    throw new UsageError(`${operation.name} needs --data @<file>, ${operation.media}.`);
  }
  const bytes = data.startsWith('@') ? await readData(data.slice(1)) : new TextEncoder().encode(data);
  if (operation.media === 'application/json') checkJson(bytes);
  return bytes;
}

async function readData(path: string): Promise<Uint8Array> {
  try {
    // Descriptor 0 is what is piped in.
    return new Uint8Array(await readFile(path === '-' ? '/dev/stdin' : path));
  } catch (cause) {
    throw new UsageError(`--data cannot be read: ${path}`, { cause });
  }
}

function checkJson(bytes: Uint8Array): void {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new UsageError('--data is not JSON.', { cause });
  }
}

function keyOf(operation: Operation, options: ReadonlyMap<string, string>): string | undefined {
  const key = options.get('key');
  if (key !== undefined && !operation.keyed)
    throw new UsageError(`${operation.name} takes no --key: it is not sent under an idempotency key.`);
  return key;
}
