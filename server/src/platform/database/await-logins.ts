import { awaitDatabase } from './await-database.ts';
import { type Logins, loginSql, VARIABLE, WrongSession } from './logins.ts';

/** Both are let in. Throws as awaitDatabase does, and WrongSession for a login that is not. */
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

/** No such login, it may not log in, another password: class 28, of which PgBouncer makes 08P01. */
const REFUSED = /^(?:28|08P01)/;
