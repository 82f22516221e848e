/** `acuse-api`: what it prints, and its exit codes. */
import { Calls, createShared } from '../calls.ts';
import { OPERATIONS } from '../contract-generated.ts';
import { AcuseError, ApiError, ConfigurationError, ConnectionError, ServerError } from '../errors.ts';
import { readIdempotencyKey } from '../keys.ts';
import { readKey, readSettings } from '../options.ts';
import { openTransport } from '../transport/open.ts';
import { pathOf, queryOf } from '../url.ts';
import { readArguments, UsageError, type Wanted } from './arguments.ts';

/** What a script learns from the exit code, as from the command `acuse`. */
const EXIT = { ok: 0, failed: 1, usage: 2, unavailable: 3 } as const;

export interface Streams {
  readonly out: (text: string | Uint8Array) => void;
  readonly error: (text: string) => void;
}

/** Answers the exit code. */
export async function run(given: readonly string[], { out, error }: Streams): Promise<number> {
  try {
    const wanted = await readArguments(given);
    if (wanted === undefined) out(HELP);
    else out(wanted.dryRun ? dryRun(wanted) : await call(wanted));
    return EXIT.ok;
  } catch (problem) {
    error(`${JSON.stringify({ error: describe(problem) })}\n`);
    return exitCodeOf(problem);
  }
}

async function call(wanted: Wanted): Promise<string | Uint8Array> {
  const { operation, path, query, body } = wanted;
  const calls = new Calls(
    createShared(readKey(undefined), openTransport({})),
    readSettings({ appInfo: 'acuse-api' }),
  );
  try {
    const value = await calls.value(operation, { path, query, body, idempotencyKey: keyOf(wanted) });
    if (value === undefined) return '';
    if (typeof value === 'string' || value instanceof Uint8Array) return value;
    return `${JSON.stringify(value, null, wanted.json ? undefined : 2)}\n`;
  } finally {
    calls.close();
  }
}

/** The request as it would be made, without the key. */
function dryRun(wanted: Wanted): string {
  const { operation, path, query, body } = wanted;
  const { baseUrl } = readSettings({});
  const key = keyOf(wanted);
  const lines = [
    `${operation.http} ${baseUrl}${pathOf(operation.path, path)}${queryOf(query)}`,
    'Authorization: Bearer ***',
    ...(key === undefined ? [] : [`Idempotency-Key: ${key}`]),
    ...(body === undefined ? [] : [`Content-Type: ${operation.media}`, '', new TextDecoder().decode(body)]),
  ];
  return `${lines.join('\n')}\n`;
}

function keyOf({ operation, idempotencyKey }: Wanted): string | undefined {
  return operation.keyed ? readIdempotencyKey(idempotencyKey) : undefined;
}

function describe(problem: unknown): Record<string, unknown> {
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
    return { code: 'usage', message: problem.message, fix: 'acuse-api --help' };
  if (problem instanceof AcuseError) {
    const { message, idempotencyKey } = problem;
    const code = problem instanceof ConfigurationError ? 'configuration' : 'no_answer';
    const fix =
      code === 'configuration'
        ? 'Set ACUSE_API_KEY and ACUSE_BASE_URL.'
        : 'Is the service running? Try again.';
    return { code, message, fix, idempotency_key: idempotencyKey };
  }
  return { code: 'internal', message: problem instanceof Error ? problem.message : String(problem) };
}

function exitCodeOf(problem: unknown): number {
  if (problem instanceof UsageError || problem instanceof ConfigurationError) return EXIT.usage;
  if (problem instanceof ConnectionError || problem instanceof ServerError) return EXIT.unavailable;
  return EXIT.failed;
}

function resources(): string {
  const methods = new Map<string, string[]>();
  for (const name of Object.keys(OPERATIONS)) {
    const [resource, method] = name.split('.') as [string, string];
    methods.set(resource, [...(methods.get(resource) ?? []), method]);
  }
  return [...methods].map(([resource, names]) => `  ${resource}: ${names.join(', ')}`).join('\n');
}

const HELP = `acuse-api <resource> <method> [<id> …] [--<query parameter> <value> …]

Calls any operation of the API with ACUSE_API_KEY at ACUSE_BASE_URL (http://localhost:8025).

  --data <json> | @<file> | @-   the body
  --key <key>                    idempotency key of a send; without it one is made
  --json                         the answer on one line
  --dry-run                      prints the request and sends nothing

Exit codes: 0 done; 1 refused; 2 usage error; 3 service unavailable. Errors are JSON on stderr, with the fix.

${resources()}
`;
