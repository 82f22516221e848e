/** The arguments of `acuse-api` and `acuse api`, as they are typed. */
import { readFile } from 'node:fs/promises';
import type { Operation } from '../operation.ts';
import { meantBy, parametersOf, typed } from './operations.ts';
import { UsageError } from './usage.ts';

export interface Wanted {
  readonly operation: Operation;
  readonly path: Record<string, string>;
  readonly query: Record<string, string>;
  readonly body: Uint8Array | undefined;
  readonly idempotencyKey: string | undefined;
  readonly json: boolean;
  readonly dryRun: boolean;
  /** Every page of a list. */
  readonly all: boolean;
  /** File for the answer. */
  readonly output: string | undefined;
}

/** The topic of help: words that were typed, none for all of it. */
export interface Asked {
  readonly help: readonly string[];
}

interface Typed {
  readonly words: string[];
  readonly options: Map<string, string>;
  readonly flags: Set<string>;
}

const FLAGS: ReadonlySet<string> = new Set(['json', 'dry-run', 'help', 'all']);
/** Options that are not parameters of an operation. */
const OWN: ReadonlySet<string> = new Set(['data', 'key', 'output']);
const SHORT: Readonly<Record<string, string>> = { '-o': '--output', '-h': '--help' };
/** More than any operation takes (bytes): what is piped in has no end of its own. */
const DATA_MAX_BYTES = 128 * 1024 * 1024;

/** Throws UsageError. `input`: what is piped in. */
export async function readArguments(
  given: readonly string[],
  input: AsyncIterable<Uint8Array>,
): Promise<Wanted | Asked> {
  const { words, options, flags } = split(given);
  if (flags.has('help') || words.length === 0) return { help: words };
  const { operation, path, query } = meantBy(words);
  const all = flags.has('all');
  if (all && operation.result !== 'page')
    throw new UsageError(`${operation.name} is not a list: leave out --all.`);
  return {
    operation,
    path,
    query: queryOf(operation, query, options),
    body: await bodyOf(operation, options.get('data'), input),
    idempotencyKey: keyOf(operation, options),
    json: flags.has('json'),
    dryRun: flags.has('dry-run'),
    all,
    output: options.get('output'),
  };
}

function split(given: readonly string[]): Typed {
  const found: Typed = { words: [], options: new Map(), flags: new Set() };
  for (let at = 0; at < given.length; at++) {
    const word = SHORT[given[at]!] ?? given[at]!;
    if (!word.startsWith('--')) {
      found.words.push(word);
      continue;
    }
    const equals = word.indexOf('=');
    const name = word.slice(2, equals === -1 ? undefined : equals);
    if (FLAGS.has(name)) {
      if (equals !== -1) throw new UsageError(`--${name} takes no value.`);
      found.flags.add(name);
      continue;
    }
    const value = equals === -1 ? given[++at] : word.slice(equals + 1);
    if (value === undefined) throw new UsageError(`--${name} needs a value.`);
    if (found.options.has(name)) throw new UsageError(`--${name} is given twice: separate values by commas.`);
    found.options.set(name, value);
  }
  return found;
}

function queryOf(
  operation: Operation,
  ofPath: Readonly<Record<string, string>>,
  options: ReadonlyMap<string, string>,
): Record<string, string> {
  const query: Record<string, string> = {};
  for (const [name, value] of [...Object.entries(ofPath), ...options]) {
    if (OWN.has(name)) continue;
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
  data: string | undefined,
  input: AsyncIterable<Uint8Array>,
): Promise<Uint8Array | undefined> {
  if (operation.media === null) {
    if (data !== undefined) throw new UsageError(`${operation.name} takes no --data.`);
    return undefined;
  }
  const isJson = operation.media === 'application/json';
  if (data === undefined) {
    if (isJson) return new TextEncoder().encode('{}');
    throw new UsageError(`${operation.name} needs --data @<file>, ${operation.media}.`);
  }
  const bytes = await readData(data, input);
  if (isJson) checkJson(bytes);
  return bytes;
}

/** `-` and `@-`: what is piped in; `@file`: a file; anything else: itself. */
async function readData(data: string, input: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  if (data === '-' || data === '@-') return readInput(input);
  if (!data.startsWith('@')) return new TextEncoder().encode(data);
  try {
    return new Uint8Array(await readFile(data.slice(1)));
  } catch (cause) {
    const reason =
      (cause as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no such file' : String(cause);
    throw new UsageError(`--data cannot be read: ${data.slice(1)}: ${reason}.`, { cause });
  }
}

async function readInput(input: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of input) {
    size += chunk.length;
    if (size > DATA_MAX_BYTES) throw new UsageError(`--data is over ${DATA_MAX_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

function checkJson(bytes: Uint8Array): void {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new UsageError('--data is not UTF-8, as JSON must be.', { cause });
  }
  try {
    JSON.parse(text);
  } catch (cause) {
    throw new UsageError(`--data is not JSON: ${(cause as Error).message}`, { cause });
  }
}

function keyOf(operation: Operation, options: ReadonlyMap<string, string>): string | undefined {
  const key = options.get('key');
  if (key !== undefined && !operation.keyed)
    throw new UsageError(
      `${operation.name} takes no --key: it is not sent under an idempotency key. (The API key is ACUSE_API_KEY.)`,
    );
  return key;
}

/** How an operation is called: `webhooks rotate-secret <id> [--since <since>]`. */
export function usageOf(operation: Operation): string {
  const [resource = '', method = ''] = operation.name.split('.');
  return [
    `${typed(resource)} ${typed(method)}`,
    ...parametersOf(operation).map((name) => `<${name}>`),
    ...operation.query.map((name) => `[--${name.replace(/_/g, '-')} <${name}>]`),
    ...(operation.media === null ? [] : ['--data @<file>']),
    ...(operation.keyed ? ['[--key <key>]'] : []),
    ...(operation.result === 'page' ? ['[--all]'] : []),
    ...(operation.result === 'bytes' ? ['--output <file>'] : []),
  ].join(' ');
}
