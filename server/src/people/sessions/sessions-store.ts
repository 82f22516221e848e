import type { Tx } from '../../platform/database/db.ts';
import type { OpenSession, SessionRow } from './person.ts';

const COLUMNS = `s.session_id as "sessionId", s.user_id as "personId", s.state, s.created_at as "createdAt",
  s.authenticated_at as "authenticatedAt", s.last_seen_at as "lastSeenAt", s.expires_at as "expiresAt",
  s.client_address as "clientAddress", s.user_agent as "userAgent"`;

export async function insertSession(
  tx: Tx,
  session: SessionRow & { tokenSha256: Uint8Array; network: string },
): Promise<void> {
  await tx.execute(
    `insert into user_sessions (session_id, user_id, token_sha256, state, created_at, authenticated_at,
       last_seen_at, expires_at, network, client_address, user_agent)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      session.sessionId,
      session.personId,
      session.tokenSha256,
      session.state,
      session.createdAt,
      session.authenticatedAt,
      session.lastSeenAt,
      session.expiresAt,
      session.network,
      session.clientAddress,
      session.userAgent,
    ],
  );
}

/** One that is neither ended nor past its days; idleness is for the caller to judge. */
export async function findSession(tx: Tx, tokenSha256: Uint8Array, now: Date): Promise<OpenSession | null> {
  const rows = await tx.query<OpenSession>(
    `select ${COLUMNS}, u.email, u.name, u.locale, u.time_zone as "timeZone",
       u.password_phc is not null as "hasPassword", u.totp_sealed is not null as "hasTotp",
       exists (select from passkeys p where p.user_id = s.user_id) as "hasPasskeys"
     from user_sessions s join users u on u.user_id = s.user_id
     where s.token_sha256 = $1 and s.ended_at is null and s.expires_at > $2`,
    [tokenSha256, now],
    'find_session',
  );
  return rows[0] ?? null;
}

export async function touchSession(tx: Tx, sessionId: string, at: Date): Promise<void> {
  await tx.execute(
    'update user_sessions set last_seen_at = greatest(last_seen_at, $2) where session_id = $1',
    [sessionId, at],
  );
}

/** The second factor came: a new token, and the whole time. False when another request was first. */
export async function completeSession(
  tx: Tx,
  sessionId: string,
  to: { tokenSha256: Uint8Array; at: Date; expiresAt: Date },
): Promise<boolean> {
  return (
    (await tx.execute(
      `update user_sessions set state = 'whole', token_sha256 = $2, authenticated_at = $3, last_seen_at = $3,
         expires_at = $4
       where session_id = $1 and state = 'half' and ended_at is null`,
      [sessionId, to.tokenSha256, to.at, to.expiresAt],
    )) === 1
  );
}

export async function refreshAuthentication(tx: Tx, sessionId: string, at: Date): Promise<void> {
  await tx.execute(
    `update user_sessions set authenticated_at = $2
     where session_id = $1 and state = 'whole' and ended_at is null`,
    [sessionId, at],
  );
}

export async function endSession(tx: Tx, personId: string, sessionId: string, at: Date): Promise<boolean> {
  return (
    (await tx.execute(
      'update user_sessions set ended_at = $3 where user_id = $1 and session_id = $2 and ended_at is null',
      [personId, sessionId, at],
    )) === 1
  );
}

/** By its token, whoever's it is: a browser that signs in anew leaves none behind. */
export async function endSessionByToken(tx: Tx, tokenSha256: Uint8Array, at: Date): Promise<void> {
  await tx.execute('update user_sessions set ended_at = $2 where token_sha256 = $1 and ended_at is null', [
    tokenSha256,
    at,
  ]);
}

/** `exceptId`: the one that goes on; null: none does. */
export async function endSessions(
  tx: Tx,
  personId: string,
  exceptId: string | null,
  at: Date,
): Promise<number> {
  return tx.execute(
    `update user_sessions set ended_at = $3
     where user_id = $1 and ended_at is null and ($2::uuid is null or session_id <> $2)`,
    [personId, exceptId, at],
  );
}

/** Those that are open, newest first. */
export function listOpenSessions(
  tx: Tx,
  personId: string,
  now: Date,
  idleSince: Date,
  limit: number,
): Promise<SessionRow[]> {
  return tx.query<SessionRow>(
    `select ${COLUMNS} from user_sessions s
     where s.user_id = $1 and s.ended_at is null and s.expires_at > $2 and s.last_seen_at > $3
     order by s.session_id desc limit $4`,
    [personId, now, idleSince, limit],
  );
}

/** Ends all but the newest `keep`. */
export async function endOldestSessions(tx: Tx, personId: string, keep: number, at: Date): Promise<void> {
  await tx.execute(
    `update user_sessions set ended_at = $3
     where user_id = $1 and ended_at is null and session_id not in
       (select session_id from user_sessions where user_id = $1 and ended_at is null
        order by session_id desc limit $2)`,
    [personId, keep, at],
  );
}

/** Forgets what was opened before; open sessions last less long. */
export async function forgetSessions(tx: Tx, personId: string, before: Date): Promise<void> {
  await tx.execute('delete from user_sessions where user_id = $1 and created_at < $2', [personId, before]);
}

/** True if this person has signed in from there since. */
export async function isKnownNetwork(
  tx: Tx,
  personId: string,
  network: string,
  since: Date,
): Promise<boolean> {
  const [row] = await tx.query<{ known: boolean }>(
    `select exists (select from user_sessions
       where user_id = $1 and network = $2 and state = 'whole' and created_at > $3) as known`,
    [personId, network, since],
  );
  return row!.known;
}
