import { MigrationError } from './roles.ts';
import { SESSION_SETTINGS, STATEMENT_TIMEOUT_MS } from './session-options.ts';

/**
 * Separate logins for the two roles, for a pooler that shares sessions between transactions: session settings
 * then belong to the roles, and are checked at the start.
 */
export interface Logins {
  readonly request: string;
  readonly worker: string;
}

/** Null: DATABASE_URL's login assumes both roles. */
export function loginsOf(
  config: Readonly<Record<'databaseRequestUrl' | 'databaseWorkerUrl', string | null>>,
): Logins | null {
  const { databaseRequestUrl: request, databaseWorkerUrl: worker } = config;
  return request === null || worker === null ? null : { request, worker };
}

type PoolRole = 'acuse_request' | 'acuse_worker';

/** Session settings, as PostgreSQL shows them. */
const EXPECTED: Readonly<Record<string, string>> = {
  TimeZone: 'UTC',
  synchronous_commit: 'on',
  client_min_messages: 'warning',
  idle_in_transaction_session_timeout: '8s',
  statement_timeout: '1min',
};

/** Refused: without these settings tenants are not isolated, or answers not durable. */
export class WrongSession extends MigrationError {
  override name = 'WrongSession';
}

interface Session {
  readonly me: string;
  readonly login: string;
  readonly settings: readonly string[];
}

/** Checks one session of a pool. Throws WrongSession that says what to do. */
export async function checkSessions(
  ask: (text: string, values: readonly unknown[]) => Promise<Session[]>,
  role: PoolRole,
  logins: Logins | null,
): Promise<void> {
  const names = Object.keys(EXPECTED);
  const [row] = await ask(
    `select current_user::text as me, session_user::text as login,
            array(select current_setting(name)
              from unnest($1::text[]) with ordinality as n (name, at) order by at) as settings`,
    [names],
  );
  const { me, login, settings } = row!;
  if (me !== role) throw new WrongSession(wrongRole(role, me, login, logins));
  const wrong = names.flatMap((name, at) =>
    settings[at] === EXPECTED[name] ? [] : [`${name} is ${settings[at]}, not ${EXPECTED[name]}`],
  );
  if (wrong.length > 0)
    throw new WrongSession(
      `a session of ${role} has other settings than it needs: ${wrong.join('; ')}. A pooler such as PgBouncer drops what a session asks for at its beginning: set it on the role. An administrator must run:\n${loginSql()}`,
    );
}

function wrongRole(role: string, me: string, login: string, logins: Logins | null): string {
  if (logins !== null)
    return `${VARIABLE[role as PoolRole]} logs in as ${login}: it must be a login of ${role} itself. An administrator must run:\n${loginSql()}`;
  return `a session that asked for the role ${role} works as ${me}: a pooler such as PgBouncer (ignore_startup_parameters) drops what a session asks for at its beginning, and the walls between accounts with it. Set ${VARIABLE.acuse_request} and ${VARIABLE.acuse_worker}, logins of the two roles by way of the pooler, and let DATABASE_URL lead past it. An administrator must run:\n${loginSql()}`;
}

export const VARIABLE: Readonly<Record<PoolRole, string>> = {
  acuse_request: 'ACUSE_DB_REQUEST_URL',
  acuse_worker: 'ACUSE_DB_WORKER_URL',
};

export function loginSql(): string {
  const roles: readonly PoolRole[] = ['acuse_request', 'acuse_worker'];
  return [
    ...roles.flatMap((role) => [
      // `set role` only, never inherited.
      `  alter role ${role} login noinherit;   -- and: \\password ${role}`,
      ...[...SESSION_SETTINGS, ['statement_timeout', STATEMENT_TIMEOUT_MS] as const].map(
        ([name, value]) => `  alter role ${role} set ${name} = '${value}';`,
      ),
    ]),
    '  grant acuse_sessions to acuse_worker;',
  ].join('\n');
}
