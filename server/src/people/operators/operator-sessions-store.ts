import type { Tx } from '../../platform/database/db.ts';
import type { OperatorRole } from '../../platform/http/http.ts';
import type { OpenSession, SessionRow } from '../sessions/person.ts';

/** Sessions of operators and their one-time links, each found by the hash of its secret. */

/** A session and whose it is. */
export interface OperatorSession extends OpenSession {
  readonly role: OperatorRole;
}

const COLUMNS = `s.session_id as "sessionId", s.operator_id as "personId", s.state,
  s.created_at as "createdAt", s.authenticated_at as "authenticatedAt", s.last_seen_at as "lastSeenAt",
  s.expires_at as "expiresAt", s.client_address as "clientAddress", s.user_agent as "userAgent"`;

export async function insertSession(
  tx: Tx,
  session: SessionRow & { tokenSha256: Uint8Array; network: string },
): Promise<void> {
  await tx.execute(
    `insert into operator_sessions (session_id, operator_id, token_sha256, state, created_at,
       authenticated_at, last_seen_at, expires_at, network, client_address, user_agent)
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

/** One that is neither ended nor past its time; idleness is for the caller to judge. */
export async function findSession(
  tx: Tx,
  tokenSha256: Uint8Array,
  now: Date,
): Promise<OperatorSession | null> {
  const [row] = await tx.query<OperatorSession>(
    `select ${COLUMNS}, o.email, o.name, o.role, o.locale, o.time_zone as "timeZone",
       o.password_phc is not null as "hasPassword", o.totp_sealed is not null as "hasTotp",
       exists (select from operator_passkeys p where p.operator_id = s.operator_id) as "hasPasskeys"
     from operator_sessions s join operators o using (operator_id)
     where s.token_sha256 = $1 and s.ended_at is null and s.expires_at > $2`,
    [tokenSha256, now],
    'find_operator_session',
  );
  return row ?? null;
}

export async function touchSession(tx: Tx, sessionId: string, at: Date): Promise<void> {
  await tx.execute(
    'update operator_sessions set last_seen_at = greatest(last_seen_at, $2) where session_id = $1',
    [sessionId, at],
  );
}

export async function completeSession(
  tx: Tx,
  sessionId: string,
  to: { tokenSha256: Uint8Array; at: Date; expiresAt: Date },
): Promise<boolean> {
  return (
    (await tx.execute(
      `update operator_sessions set state = 'whole', token_sha256 = $2, authenticated_at = $3,
         last_seen_at = $3, expires_at = $4
       where session_id = $1 and state = 'half' and ended_at is null`,
      [sessionId, to.tokenSha256, to.at, to.expiresAt],
    )) === 1
  );
}

export async function refreshAuthentication(tx: Tx, sessionId: string, at: Date): Promise<void> {
  await tx.execute(
    `update operator_sessions set authenticated_at = $2
     where session_id = $1 and state = 'whole' and ended_at is null`,
    [sessionId, at],
  );
}

/** False when the operator has no such open session. */
export async function endSession(tx: Tx, personId: string, sessionId: string, at: Date): Promise<boolean> {
  return (
    (await tx.execute(
      `update operator_sessions set ended_at = $3
        where operator_id = $1 and session_id = $2 and ended_at is null`,
      [personId, sessionId, at],
    )) === 1
  );
}

/** By its token, whoever's it is: a browser that signs in anew leaves none behind. */
export async function endSessionByToken(tx: Tx, tokenSha256: Uint8Array, at: Date): Promise<void> {
  await tx.execute(
    'update operator_sessions set ended_at = $2 where token_sha256 = $1 and ended_at is null',
    [tokenSha256, at],
  );
}

/** `exceptId`: the one that goes on; null: none does. */
export function endSessions(tx: Tx, personId: string, exceptId: string | null, at: Date): Promise<number> {
  return tx.execute(
    `update operator_sessions set ended_at = $3
     where operator_id = $1 and ended_at is null and ($2::uuid is null or session_id <> $2)`,
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
    `select ${COLUMNS} from operator_sessions s
     where s.operator_id = $1 and s.ended_at is null and s.expires_at > $2 and s.last_seen_at > $3
     order by s.session_id desc limit $4`,
    [personId, now, idleSince, limit],
  );
}

/** Ends all but the newest `keep`. */
export async function endOldestSessions(tx: Tx, personId: string, keep: number, at: Date): Promise<void> {
  await tx.execute(
    `update operator_sessions set ended_at = $3
     where operator_id = $1 and ended_at is null and session_id not in
       (select session_id from operator_sessions where operator_id = $1 and ended_at is null
        order by session_id desc limit $2)`,
    [personId, keep, at],
  );
}

/** Forgets what was opened before; open sessions last less long. */
export async function forgetSessions(tx: Tx, personId: string, before: Date): Promise<void> {
  await tx.execute('delete from operator_sessions where operator_id = $1 and created_at < $2', [
    personId,
    before,
  ]);
}

/** True if this operator has signed in from there since. */
export async function isKnownNetwork(
  tx: Tx,
  personId: string,
  network: string,
  since: Date,
): Promise<boolean> {
  const [row] = await tx.query<{ known: boolean }>(
    `select exists (select from operator_sessions
       where operator_id = $1 and network = $2 and state = 'whole' and created_at > $3) as known`,
    [personId, network, since],
  );
  return row!.known;
}

export async function insertLink(
  tx: Tx,
  link: {
    readonly linkId: string;
    readonly operatorId: string | null;
    readonly tokenSha256: Uint8Array;
    readonly createdAt: Date;
    readonly expiresAt: Date;
  },
): Promise<void> {
  await tx.execute(
    `insert into operator_links (link_id, operator_id, token_sha256, created_at, expires_at)
     values ($1, $2, $3, $4, $5)`,
    [link.linkId, link.operatorId, link.tokenSha256, link.createdAt, link.expiresAt],
  );
}

/** Earlier links of this operator, or of the first, and expired ones stop working. */
export async function dropLinks(tx: Tx, operatorId: string | null, now: Date): Promise<void> {
  await tx.execute(
    'delete from operator_links where operator_id is not distinct from $1::uuid or expires_at <= $2',
    [operatorId, now],
  );
}

/** Of many that spend it at once, one gets it; null for the others, and for what was never good. */
export async function spendLink(
  tx: Tx,
  tokenSha256: Uint8Array,
  at: Date,
): Promise<{ operatorId: string | null } | null> {
  const [row] = await tx.query<{ operatorId: string | null }>(
    `update operator_links set spent_at = $2
     where token_sha256 = $1 and spent_at is null and expires_at > $2
     returning operator_id as "operatorId"`,
    [tokenSha256, at],
  );
  return row ?? null;
}
