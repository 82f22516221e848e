import { parseMailbox } from '@acuse/mail/mailbox';
import { didYouMean } from '../platform/edit-distance.ts';
import type { Config } from './config-type.ts';
import type { SourcePool } from './config-values.ts';
import { VARIABLES } from './config-variables.ts';
import { missingProxyTrust } from './proxy-trust.ts';
import { withSettingsFile } from './settings-file.ts';
import type { Variable } from './variable.ts';

/**
 * The environment and the settings file, read once. This is their only reader: it reports every bad variable
 * at once and returns a frozen object. `acuse config` prints what was read, from the table in
 * config-variables.ts.
 */
export type Environment = Readonly<Record<string, string | undefined>>;

export const environment: Environment = withSettingsFile(process.env);

/** Child processes do not inherit it. */
export function takeFromEnvironment(name: string): string | undefined {
  const value = process.env[name];
  delete process.env[name];
  return value;
}

export class ConfigError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[], what = 'the configuration is not valid') {
    super(`${what}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** Read by tests, or secrets that authority manifests name. */
const NOT_OURS = /^ACUSE_(TEST_|CORPORA$|SECRET_)/;
const QUOTE_MAX_CHARS = 60;

type Key = keyof Config;
const KEYS = Object.keys(VARIABLES) as Key[];

/**
 * Reads all variables. `warnings`: unknown names that look like ours. Throws ConfigError with every problem,
 * also those from `alsoWrong`.
 */
export function loadConfig(
  env: Environment = environment,
  alsoWrong: (config: Config) => readonly string[] = () => [],
): { config: Config; warnings: string[] } {
  const problems: string[] = [];
  const values: Partial<Record<Key, unknown>> = {};
  for (const key of KEYS) {
    const read = readVariable(VARIABLES[key] as Variable, env, values as Config);
    values[key] = read.value;
    if (read.problem !== undefined) problems.push(read.problem);
  }
  const config = Object.freeze(values) as Config;
  problems.push(...contradictions(config, env), ...alsoWrong(config));
  const warnings = unknownNames(env);
  // A mistyped name often explains a missing variable.
  if (problems.length > 0) throw new ConfigError([...problems, ...warnings]);
  return { config, warnings };
}

export interface Setting {
  name: string;
  /** Secrets are masked. Null: unset. */
  value: string | null;
  source: 'environment' | 'default';
  expected: string;
  doc: string;
  group: Variable['group'];
  read: NonNullable<Variable['read']>;
}

export function describeConfig(config: Config, env: Environment = environment): Setting[] {
  return KEYS.map((key) => {
    const variable = VARIABLES[key] as Variable;
    const given = textOf(env, variable.name);
    const shown = given ?? defaultOf(variable, config) ?? null;
    return {
      name: variable.name,
      value: shown === null ? null : mask(shown, variable.secret),
      source: given === undefined ? 'default' : 'environment',
      expected: variable.type.expected,
      doc: variable.doc,
      group: variable.group,
      read: variable.read ?? 'at_start',
    };
  });
}

function readVariable(
  variable: Variable,
  env: Environment,
  known: Config,
): { value: unknown; problem?: string } {
  const { name, type } = variable;
  const fallback = defaultOf(variable, known);
  // The default stands in for a bad value, so that other checks continue.
  const standIn = fallback === undefined ? null : (type.parse(fallback) ?? null);
  const given = textOf(env, name);
  if (given !== undefined) {
    const value = type.parse(given);
    if (value !== undefined) return { value };
    const got = variable.secret === undefined ? `, got ${quote(given)}` : ' (the value is not shown)';
    return { value: standIn, problem: `${name}: expected ${type.expected}${got}` };
  }
  if (fallback === undefined && variable.optional !== true)
    return { value: null, problem: `${name}: required here: ${type.expected}` };
  return { value: standIn };
}

/** Compose files turn unset variables into empty ones. */
function textOf(env: Environment, name: string): string | undefined {
  const text = env[name]?.trim();
  return text === '' ? undefined : text;
}

function defaultOf(variable: Variable, known: Config): string | undefined {
  return typeof variable.default === 'function' ? variable.default(known) : variable.default;
}

function contradictions(config: Config, env: Environment): string[] {
  const problems: string[] = [];
  const isSet = (key: Key) => textOf(env, VARIABLES[key].name) !== undefined;
  if (config.delivery === 'smarthost' && !isSet('smarthost'))
    problems.push('ACUSE_SMARTHOST: required for ACUSE_DELIVERY=smarthost');
  if (isSet('masterKeys') && isSet('masterKeyCommand'))
    problems.push('ACUSE_MASTER_KEY and ACUSE_MASTER_KEY_COMMAND: set one of them');
  if (config.delivery === 'direct' && isSet('smarthost'))
    problems.push('ACUSE_SMARTHOST: contradicts ACUSE_DELIVERY=direct: unset one of them');
  for (const key of ['sourcePools', 'privateNetworks'] as const)
    if (config.delivery !== 'direct' && isSet(key))
      problems.push(`${VARIABLES[key].name}: only allowed with ACUSE_DELIVERY=direct`);
  if (config.roleMailTo !== null && config.systemSender === null)
    problems.push('ACUSE_ROLE_MAIL_TO: needs ACUSE_SYSTEM_SENDER, the sender it is passed on from');
  if (config.roleMailTo !== null && parseMailbox(config.roleMailTo).domain === config.hostname)
    problems.push('ACUSE_ROLE_MAIL_TO: an address of this mail host would be passed on to itself');
  problems.push(...problemsOfPools(config.sourcePools ?? []));
  if (isSet('databaseRequestUrl') !== isSet('databaseWorkerUrl'))
    problems.push('ACUSE_DB_REQUEST_URL and ACUSE_DB_WORKER_URL: set both or neither');
  if (isSet('databaseRequestUrl') && !isSet('databaseUrl'))
    problems.push('ACUSE_DB_REQUEST_URL: needs DATABASE_URL, which migrates and hears notifications');
  if (isSet('logMirror') && !isSet('logAnchor'))
    problems.push('ACUSE_LOG_MIRROR: needs ACUSE_LOG_ANCHOR, which says how far it was published');
  for (const key of ['logAnchor', 'logMirror', 'archive'] as const)
    if (config[key]?.startsWith('s3://') && !(isSet('s3AccessKeyId') && isSet('s3SecretAccessKey')))
      problems.push(`${VARIABLES[key].name}: s3:// needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY`);
  if (isSet('tlsCertFile') !== isSet('tlsKeyFile'))
    problems.push('ACUSE_TLS_CERT_FILE and ACUSE_TLS_KEY_FILE: set both or neither');
  if (isSet('acmeDirectory') && !isSet('tlsCertFile'))
    problems.push('ACUSE_ACME_DIRECTORY: needs ACUSE_TLS_CERT_FILE and ACUSE_TLS_KEY_FILE, which it renews');
  if (missingProxyTrust(config) === 'certain')
    problems.push(
      `ACUSE_TRUST_PROXY: required here: ACUSE_HOST=${config.host} is reached through a proxy on this machine alone, whose address would be everybody's in limits, sessions and records: set it to loopback, and have the proxy send X-Forwarded-For`,
    );
  if (config.delivery !== 'sandbox' && !isSet('tlsCertFile')) {
    const asked = (['submissionPort', 'submissionsPort'] as const).find(isSet);
    const role = isSet('roles') && config.roles.includes('submission');
    if (asked !== undefined || role)
      problems.push(
        `${VARIABLES[asked ?? 'roles'].name}: SMTP submission accepts passwords only over TLS: set ACUSE_TLS_CERT_FILE and ACUSE_TLS_KEY_FILE`,
      );
  }
  return problems;
}

/** A pool may be given several times: once for each EHLO name and its addresses. */
function problemsOfPools(given: readonly SourcePool[]): string[] {
  const said = new Set<string>();
  const names = new Set<string>();
  const addresses = new Set<string>();
  for (const { name, ehloName, v4, v6 } of given) {
    if (names.has(`${name} ${ehloName}`)) said.add(`the pool ${name} has ${ehloName} twice`);
    names.add(`${name} ${ehloName}`);
    const isShared = given.filter((pool) => pool.name === name).length > 1;
    if (isShared && v4 === null && v6 === null)
      said.add(`the pool ${name} has several names: ${ehloName} needs an address of its own`);
    for (const address of [v4, v6]) {
      if (address === null) continue;
      if (addresses.has(`${name} ${address}`)) said.add(`the pool ${name} has the address ${address} twice`);
      addresses.add(`${name} ${address}`);
    }
  }
  return [...said].map((problem) => `ACUSE_SOURCE_POOLS: ${problem}`);
}

function unknownNames(env: Environment): string[] {
  const known = KEYS.map((key) => VARIABLES[key].name);
  return Object.keys(env)
    .filter((name) => name.startsWith('ACUSE_') && !known.includes(name) && !NOT_OURS.test(name))
    .sort()
    .map((name) => {
      const meant = didYouMean(name, known);
      return `${name}: unknown variable${meant === undefined ? '; acuse config lists them' : `: did you mean ${meant}?`}`;
    });
}

function quote(text: string): string {
  return JSON.stringify(text.length > QUOTE_MAX_CHARS ? `${text.slice(0, QUOTE_MAX_CHARS)}…` : text);
}

function mask(text: string, secret: Variable['secret']): string {
  if (secret === undefined) return text;
  if (secret === 'hidden') return '********';
  // Passwords may contain @; libpq also allows them in the query.
  const opening = /:\/\/[^:/@]*:/.exec(text);
  const from = opening === null ? -1 : opening.index + opening[0].length;
  const at = text.lastIndexOf('@');
  const shown = from >= 0 && at >= from ? `${text.slice(0, from)}********${text.slice(at)}` : text;
  return shown.replace(/([?&]password=)[^&]*/, '$1********');
}
