import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

/** Refused: database and code do not match, or the login lacks a right. The message says what to do. */
export class MigrationError extends Error {
  override name = 'MigrationError';
}

/**
 * The three roles of row-level security, created before the first migration. They belong to the whole
 * PostgreSQL server, so that several installations and starts share them.
 */
export const ROLES = ['acuse_request', 'acuse_worker', 'acuse_sessions'] as const;

/** A concurrent creator or grantor is waited for. */
const TRIES = 10;
const RETRY_WAIT_MS = 20;
/**
 * duplicate_object, unique_violation on pg_authid, "tuple concurrently updated", tuple to be updated was
 * already modified, deadlock.
 */
const COLLISIONS = new Set(['42710', '23505', 'XX000', '40001', '40P01']);
const INSUFFICIENT_PRIVILEGE = '42501';
/** From this version on, GRANT … WITH SET controls `set role`. */
const GRANT_WITH_SET = 160_000;

interface RoleState {
  exists: boolean;
  /** Superuser or BYPASSRLS: row-level security would not apply. */
  unbound: boolean;
  settable: boolean;
}

/** Creates missing roles and grants. Throws MigrationError with the SQL that an administrator must run. */
export async function ensureRoles(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: number; login: string }>(
    "select current_setting('server_version_num')::int version, quote_ident(current_user) login",
  );
  const { version, login } = rows[0]!;
  for (const role of ROLES) {
    for (let attempt = 1; ; attempt++) {
      const state = await readState(client, role, version);
      if (state.unbound)
        throw new MigrationError(
          `role ${role} must not be superuser nor have BYPASSRLS, it stands between tenants; an administrator must run:\n  alter role ${role} nosuperuser nobypassrls;`,
        );
      if (state.exists && state.settable) break;
      const statement = state.exists ? grantStatement(role, login, version) : `create role ${role} nologin`;
      await attemptStatement(client, statement, attempt, login, version);
    }
  }
}

async function attemptStatement(
  client: pg.Client,
  statement: string,
  attempt: number,
  login: string,
  version: number,
): Promise<void> {
  try {
    await client.query(statement);
  } catch (error) {
    const code = (error as { code?: string }).code ?? '';
    if (code === INSUFFICIENT_PRIVILEGE)
      throw new MigrationError(
        `${login} may not make or grant the roles that this service needs; an administrator of the database must run once:\n${administratorSql(login, version)}`,
        { cause: error },
      );
    if (!COLLISIONS.has(code) || attempt >= TRIES) throw error;
    await sleep(RETRY_WAIT_MS * attempt);
  }
}

async function readState(client: pg.Client, role: string, version: number): Promise<RoleState> {
  const kind = version >= GRANT_WITH_SET ? 'SET' : 'MEMBER';
  const { rows } = await client.query<{ unbound: boolean; settable: boolean }>(
    'select rolsuper or rolbypassrls unbound, pg_has_role(current_user, oid, $2) settable from pg_roles where rolname = $1',
    [role, kind],
  );
  const row = rows[0];
  return row === undefined ? { exists: false, unbound: false, settable: false } : { exists: true, ...row };
}

function grantStatement(role: string, login: string, version: number): string {
  // `set role` only, never inherited: the login itself sees no tenant's rows.
  return version >= GRANT_WITH_SET
    ? `grant ${role} to ${login} with set true, inherit false`
    : `grant ${role} to ${login}`;
}

function administratorSql(login: string, version: number): string {
  return ROLES.flatMap((role) => [
    `  create role ${role} nologin;   -- unless it exists`,
    `  ${grantStatement(role, login, version)};`,
  ]).join('\n');
}
