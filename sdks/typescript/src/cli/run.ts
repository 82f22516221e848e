/** `acuse-api`, which is `acuse api` too: what it prints, and its exit codes. */
import { Calls, createShared } from '../calls.ts';
import { AcuseError, ApiError, ConfigurationError, ConnectionError } from '../errors.ts';
import { readIdempotencyKey } from '../keys.ts';
import { readKey, readSettings } from '../options.ts';
import { listing } from '../paging.ts';
import { storeAtomically } from '../store-file.ts';
import { openTransport } from '../transport/open.ts';
import type { HttpAnswer } from '../transport/transport.ts';
import { pathOf, queryOf } from '../url.ts';
import { readArguments, type Wanted } from './arguments.ts';
import { helpOf } from './help.ts';
import { jsonText, textForTerminal } from './shown.ts';
import { UsageError } from './usage.ts';

/** Exit codes, as those of the command `acuse`. */
const EXIT = { ok: 0, failed: 1, usage: 2, unavailable: 3 } as const;
/** The same command may succeed later. */
const LATER: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** Longest pause between bytes of a file. */
const DOWNLOAD_IDLE_MS = 30_000;

export interface Streams {
  /** The name of the command: `acuse api`. */
  readonly program: string;
  readonly input: AsyncIterable<Uint8Array>;
  readonly out: (text: string | Uint8Array) => void;
  readonly error: (text: string) => void;
  /** Somebody looks at what `out` gets. */
  readonly isTerminal: boolean;
}

/** Answers the exit code. */
export async function run(given: readonly string[], streams: Streams): Promise<number> {
  try {
    const wanted = await readArguments(given, streams.input);
    if ('help' in wanted) streams.out(helpOf(streams.program, wanted.help));
    else if (wanted.dryRun) streams.out(dryRun(wanted));
    else await call(wanted, streams);
    return EXIT.ok;
  } catch (problem) {
    streams.error(`${jsonText({ error: describe(problem, streams.program) })}\n`);
    return exitCodeOf(problem);
  }
}

async function call(wanted: Wanted, streams: Streams): Promise<void> {
  if (wanted.operation.result === 'bytes' && wanted.output === undefined && streams.isTerminal)
    throw new UsageError(
      `${wanted.operation.name} answers a file (${wanted.operation.accept}): add --output <file>.`,
    );
  const settings = readSettings({ appInfo: 'acuse-api' });
  const calls = new Calls(createShared(readKey(undefined), openTransport({}, settings.baseUrl)), settings);
  try {
    if (wanted.output !== undefined) await save(wanted, calls, streams, wanted.output);
    else if (wanted.all) await printAll(wanted, calls, streams);
    else await print(wanted, calls, streams);
  } finally {
    calls.close();
  }
}

async function print(
  wanted: Wanted,
  calls: Calls,
  { out, error, isTerminal, program }: Streams,
): Promise<void> {
  const value = await calls.value(wanted.operation, requestOf(wanted));
  if (value === undefined) return;
  if (value instanceof Uint8Array) out(value);
  else if (typeof value === 'string') out(isTerminal ? textForTerminal(value) : value);
  else out(`${jsonText(value, wanted.json ? undefined : 2)}\n`);
  const next = (value as { next_cursor?: unknown }).next_cursor;
  if (wanted.operation.result === 'page' && typeof next === 'string' && isTerminal && !wanted.json)
    error(`${program}: there is more: --after ${textForTerminal(next)}, or --all\n`);
}

/** A list may be longer than memory: each item is printed when its page is there. */
async function printAll(wanted: Wanted, calls: Calls, { out }: Streams): Promise<void> {
  const { path, query } = wanted;
  for await (const item of listing(calls, wanted.operation, { path, query })) out(`${jsonText(item)}\n`);
}

async function save(wanted: Wanted, calls: Calls, { out }: Streams, file: string): Promise<void> {
  let bytes = 0;
  const counted = async function* (chunks: AsyncIterable<Uint8Array>) {
    bytes = 0;
    for await (const chunk of chunks) {
      bytes += chunk.length;
      yield chunk;
    }
  };
  if (wanted.all) {
    const { path, query } = wanted;
    await storeAtomically(file, counted(lines(listing(calls, wanted.operation, { path, query }))));
  } else {
    await calls.run(wanted.operation, {
      ...requestOf(wanted),
      idleTimeoutMs: DOWNLOAD_IDLE_MS,
      consume: (answer: HttpAnswer) => storeAtomically(file, counted(answer.body)),
    });
  }
  out(`${jsonText({ file, bytes })}\n`);
}

async function* lines(items: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  for await (const item of items) yield new TextEncoder().encode(`${jsonText(item)}\n`);
}

function requestOf(wanted: Wanted) {
  const { path, query, body } = wanted;
  return { path, query, body, idempotencyKey: keyOf(wanted) };
}

/** The request as it would be made, without the key. */
function dryRun(wanted: Wanted): string {
  const { operation, path, query, body } = wanted;
  const { baseUrl } = readSettings({});
  const key = keyOf(wanted);
  const isText = operation.media === 'application/json' || operation.media?.startsWith('text/') === true;
  const shown = isText ? textForTerminal(new TextDecoder().decode(body)) : `(${body?.length} bytes)`;
  const lines = [
    `${operation.http} ${baseUrl}${pathOf(operation.path, path)}${queryOf(query)}`,
    'Authorization: Bearer ***',
    ...(key === undefined ? [] : [`Idempotency-Key: ${key}`]),
    ...(body === undefined ? [] : [`Content-Type: ${operation.media}`, '', shown]),
  ];
  return `${lines.join('\n')}\n`;
}

function keyOf({ operation, idempotencyKey }: Wanted): string | undefined {
  return operation.keyed ? readIdempotencyKey(idempotencyKey) : undefined;
}

function describe(problem: unknown, program: string): Record<string, unknown> {
  if (problem instanceof ApiError) {
    const { code, message, fix, status, requestId, retryAfter, idempotencyKey } = problem;
    return {
      code,
      message,
      fix,
      status,
      request_id: requestId,
      retry_after: retryAfter,
      idempotency_key: idempotencyKey,
    };
  }
  if (problem instanceof UsageError)
    return { code: 'usage', message: problem.message, fix: `${program} --help` };
  if (problem instanceof AcuseError) return describeOwn(problem);
  const { code, message } = problem as NodeJS.ErrnoException;
  if (typeof code === 'string')
    return { code: 'file', message, fix: 'Check --output: its folder, its rights.' };
  return { code: 'internal', message: problem instanceof Error ? problem.message : String(problem) };
}

function describeOwn(problem: AcuseError): Record<string, unknown> {
  const { message, idempotencyKey } = problem;
  const code = problem instanceof ConfigurationError ? 'configuration' : 'no_answer';
  const fix =
    code === 'configuration' ? 'Set ACUSE_API_KEY and ACUSE_URL.' : 'Is the service running? Try again.';
  return { code, message, fix, idempotency_key: idempotencyKey };
}

function exitCodeOf(problem: unknown): number {
  if (problem instanceof UsageError || problem instanceof ConfigurationError) return EXIT.usage;
  if (problem instanceof ConnectionError) return EXIT.unavailable;
  return problem instanceof ApiError && LATER.has(problem.status) ? EXIT.unavailable : EXIT.failed;
}
