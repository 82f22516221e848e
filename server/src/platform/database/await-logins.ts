import { awaitDatabase } from './await-database.ts';
import { type Logins, loginSql, VARIABLE, WrongSession } from './logins.ts';

/** Waits until both logins can connect. Throws as awaitDatabase, and WrongSession. */
export async function awaitLogins(
  logins: Logins | null,
  options: Parameters<typeof awaitDatabase>[1],
): Promise<void> {
  if (logins === null) return;
  for (const [role, url] of [
    ['acuse_request', logins.request],
    ['acuse_worker', logins.worker],
  ] as const)
    await awaitDatabase(url, options).catch((cause) => {
      if (!REFUSED.test(cause?.code)) throw cause;
      throw new WrongSession(
        `${VARIABLE[role]}: ${cause.message}. An administrator must run, unless it was:\n${loginSql()}`,
        { cause },
      );
    });
}

/** Class 28 (no such login, may not log in, wrong password), which PgBouncer reports as 08P01. */
const REFUSED = /^(?:28|08P01)/;
