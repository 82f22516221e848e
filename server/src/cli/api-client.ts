import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Environment, loadConfig } from '../config/config.ts';
import type { Config } from '../config/config-type.ts';
import { COMMANDS_PREFERRED } from '../platform/http/http-errors.ts';
import { limitedSignal } from '../platform/limited-signal.ts';
import { withoutSlashesBehind } from '../platform/slashes.ts';
import { SANDBOX_FILE, type SandboxFile } from '../sandbox/sandbox-file.ts';
import { CommandError, EXIT, usage } from './command.ts';

export const API_OPTIONS = {
  url: {
    type: 'string',
    value: '<url>',
    doc: 'address of the service (default: ACUSE_URL, then the sandbox in the data folder)',
  },
  key: {
    type: 'string',
    value: '<key>',
    doc: 'API key (default: ACUSE_API_KEY, then that of the sandbox); others can see it in the list of processes',
  },
} as const;

export interface ApiAnswer {
  // biome-ignore lint/suspicious/noExplicitAny: each command knows the schema of what it asked for
  readonly body: any;
  readonly headers: Headers;
}

export interface ApiClient {
  readonly url: string;
  /** Throws CommandError with the service's code, or unavailable. */
  call(method: 'GET' | 'POST', path: string, body?: object, idempotencyKey?: string): Promise<ApiAnswer>;
}

/** A send may wait for its commit under load (ms). */
const REQUEST_TIMEOUT_MS = 60_000;
const ERROR_MAX_CHARS = 500;

/** `stop`: aborts requests. */
export function openApi(
  env: Environment,
  given: { url: string | undefined; key: string | undefined },
  stop?: AbortSignal,
): ApiClient {
  const { url, key } = whereAndWho(env, given);
  return {
    url,
    async call(method, path, body, idempotencyKey) {
      const response = await reach(url, path, {
        method,
        signal: limitedSignal(REQUEST_TIMEOUT_MS, ...(stop === undefined ? [] : [stop])),
        headers: {
          authorization: `Bearer ${key}`,
          prefer: COMMANDS_PREFERRED,
          ...(body && { 'content-type': 'application/json' }),
          ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const answer = asJson(text);
      if (!response.ok) throw refused(response, answer, text);
      if (answer === undefined)
        throw new CommandError(
          EXIT.failed,
          'unexpected_answer',
          `${url} is not an Acuse service: check --url`,
        );
      return { body: answer, headers: response.headers };
    },
  };
}

/**
 * Environment of a client program, with our service and key. If the program's own address variable is set,
 * the sandbox's key is not passed.
 */
export function apiEnvironment(env: Environment): Environment {
  // The former name of ACUSE_URL in the client libraries.
  const own = trimmed(env['ACUSE_URL']) ?? trimmed(env['ACUSE_BASE_URL']);
  const { config } = loadConfig(env);
  const sandbox = readSandboxFile(config.dataDir);
  const url = own ?? config.apiUrl ?? sandbox?.base_url;
  const known = sandbox !== null && url === sandbox.base_url ? sandbox.api_key : undefined;
  const key = config.apiKey ?? known;
  return {
    ...env,
    ...(url !== undefined && { ACUSE_URL: url }),
    ...(key !== undefined && { ACUSE_API_KEY: key }),
  };
}

/** A key is sent only to its own service. */
function whereAndWho(
  env: Environment,
  given: { url: string | undefined; key: string | undefined },
): { url: string; key: string } {
  const { config } = loadConfig(env);
  const sandbox = readSandboxFile(config.dataDir);
  const url = trimmed(given.url) ?? config.apiUrl ?? sandbox?.base_url;
  const known = sandbox !== null && url === sandbox.base_url ? sandbox.api_key : undefined;
  const key = trimmed(given.key) ?? config.apiKey ?? known;
  if (url === undefined)
    throw new CommandError(
      EXIT.usage,
      'no_service',
      `no sandbox was started in ${config.dataDir}: start one (acuse serve), set ACUSE_DATA_DIR to its folder, or give --url and --key (ACUSE_URL, ACUSE_API_KEY)`,
    );
  if (!/^https?:\/\/[^/]/.test(url)) throw usage(`--url takes an http or https URL, not "${url}"`);
  if (key === undefined || !/^[\x21-\x7e]+$/.test(key))
    throw new CommandError(EXIT.usage, 'no_key', `an API key for ${url} is needed: --key or ACUSE_API_KEY`);
  return { url, key };
}

function trimmed(text: string | undefined): string | undefined {
  const short = withoutSlashesBehind(text?.trim() ?? '');
  return short === '' ? undefined : short;
}

/** For links that commands print: a sandbox's ports may be others than the usual ones (`--ports auto`). */
export function shownUrls(config: Config): { publicUrl: string; adminUrl: string } {
  const sandbox = config.delivery === 'sandbox' ? readSandboxFile(config.dataDir) : null;
  return {
    publicUrl: sandbox?.base_url ?? config.publicUrl,
    adminUrl: sandbox?.admin_url ?? config.adminUrl,
  };
}

/** The ports that a sandbox was last started on, in place of those of the settings. */
export function asStarted(config: Config): Config {
  const sandbox = config.delivery === 'sandbox' ? readSandboxFile(config.dataDir) : null;
  if (sandbox === null) return config;
  return {
    ...config,
    port: portOf(sandbox.base_url) ?? config.port,
    adminPort: portOf(sandbox.admin_url) ?? config.adminPort,
    returnPathPort: sandbox.return_path_port ?? config.returnPathPort,
    submissionPort: sandbox.submission_port ?? config.submissionPort,
    submissionsPort: sandbox.submissions_port ?? config.submissionsPort,
  };
}

function portOf(url: string | null | undefined): number | null {
  const port = url === null || url === undefined ? '' : new URL(url).port;
  return port === '' ? null : Number(port);
}

/** Null: no sandbox was started on this folder. */
export function readSandboxFile(dataDir: string): SandboxFile | null {
  const path = join(dataDir, SANDBOX_FILE);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as SandboxFile) : null;
}

async function reach(url: string, path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(`${url}${path}`, {
      ...init,
      redirect: 'manual',
    });
  } catch (cause) {
    throw new CommandError(
      EXIT.unavailable,
      'service_unavailable',
      `no service answers at ${url}${reasonOf(cause)}: start it (acuse serve), or check --url and ACUSE_URL`,
      { cause },
    );
  }
}

/** The system's reason, to tell DNS errors from a stopped service. */
function reasonOf(error: unknown): string {
  let { cause } = error as { cause?: unknown };
  // One error per address.
  if (cause instanceof AggregateError) [cause] = cause.errors;
  return cause instanceof Error && cause.message !== '' ? ` (${cause.message})` : '';
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refused(response: Response, answer: unknown, raw: string): CommandError {
  const { error } = (answer ?? {}) as { error?: { code?: string; message?: string } };
  const exitCode = response.status === 503 || response.status === 429 ? EXIT.unavailable : EXIT.failed;
  const said = error?.message ?? `answered ${response.status}: ${raw.slice(0, ERROR_MAX_CHARS)}`;
  // For the operator.
  const requestId = response.status === 500 ? response.headers.get('request-id') : null;
  const text = requestId === null ? said : `${said} (Request-Id ${requestId})`;
  return new CommandError(exitCode, error?.code ?? 'unexpected_answer', text);
}
