import type { Tx } from '../../platform/database/db.ts';
import { changed, first, only } from '../../platform/database/rows.ts';
import type { SealedTable } from '../../platform/database/sealed-table.ts';
import { FIRST_ID } from '../../platform/ids.ts';
import type { Locale, NewPasskey, OpenSession, Passkey, Person, SessionRow } from './person.ts';

/** The tables of one kind of people; only these columns have different names. */
interface PeopleTables {
  readonly people: string;
  /** The person's id column in all of them. */
  readonly id: string;
  readonly sessions: string;
  readonly passkeys: string;
  readonly recoveryCodes: string;
  /** Columns that only this kind of people has, and those of them that a session shows. */
  readonly own: { readonly person: string; readonly session: string };
  /** Sealing context of an authenticator app's secret; the person's id follows. */
  readonly totp: string;
}

const SESSION = `s.session_id as "sessionId", s.state, s.created_at as "createdAt",
  s.authenticated_at as "authenticatedAt", s.last_seen_at as "lastSeenAt", s.expires_at as "expiresAt",
  s.client_address as "clientAddress", s.user_agent as "userAgent"`;
const PERSON = `email, name, locale, time_zone as "timeZone", password_phc as "passwordPhc",
  totp_sealed as "totpSealed", totp_pending_sealed as "totpPendingSealed", created_at as "createdAt"`;
const PASSKEY = `passkey_id as "passkeyId", credential_id as "credentialId", public_key as "publicKey",
  sign_count as "signCount", transports, backed_up as "backedUp", name, created_at as "createdAt",
  last_used_at as "lastUsedAt"`;

/** Absent: unchanged; `locale` null: by the browser's language. */
export interface ProfileChange {
  readonly name?: string | undefined;
  readonly locale?: Locale | null | undefined;
  readonly timeZone?: string | undefined;
}

/** People of one kind, with their sessions and factors. */
export class PeopleStore<P extends Person = Person, S extends OpenSession = OpenSession> {
  readonly sealed: SealedTable;
  readonly #tables: PeopleTables;
  readonly #person: string;
  readonly #session: string;
  readonly #passkey: string;

  constructor(tables: PeopleTables) {
    const { people, id, passkeys, own } = tables;
    this.#tables = tables;
    this.#person = `${id} as "personId", ${PERSON}${own.person},
      exists (select 1 from ${passkeys} p where p.${id} = ${people}.${id}) as "hasPasskeys"`;
    this.#session = `s.${id} as "personId", ${SESSION}`;
    this.#passkey = `${id} as "ownerId", ${PASSKEY}`;
    this.sealed = {
      table: people,
      columns: ['totp_sealed', 'totp_pending_sealed'],
      as: 'sessions',
      read: (tx, after, limit) => this.#readSealed(tx, after?.[0] ?? FIRST_ID, limit),
      replace: (tx, { ids, sealed: before }, sealed) =>
        this.#replaceSealed(tx, [...ids, ...sealed, ...before]),
    };
  }

  find(tx: Tx, personId: string): Promise<P | null> {
    const { people, id } = this.#tables;
    return first<P>(tx, `select ${this.#person} from ${people} where ${id} = $1`, [personId]);
  }

  findByEmail(tx: Tx, emailKey: string): Promise<P | null> {
    const { people } = this.#tables;
    return first<P>(tx, `select ${this.#person} from ${people} where email_key = $1`, [emailKey]);
  }

  /**
   * Locks the person's row until this transaction ends, then reads it with a second statement: the one that
   * waits for the lock would not see passkeys added meanwhile.
   */
  async lockPerson(tx: Tx, personId: string): Promise<P | null> {
    const { people, id } = this.#tables;
    await tx.execute(`select from ${people} where ${id} = $1 for update`, [personId]);
    return this.find(tx, personId);
  }

  /** Newest first; `before` is the last id of the page before. */
  list(tx: Tx, before: string | null, limit: number): Promise<P[]> {
    const { people, id } = this.#tables;
    return tx.query<P>(
      `select ${this.#person} from ${people} where $1::uuid is null or ${id} < $1 order by ${id} desc limit $2`,
      [before, limit],
    );
  }

  async updateProfile(tx: Tx, personId: string, change: ProfileChange, at: Date): Promise<P | null> {
    const { name = null, locale, timeZone = null } = change;
    await tx.execute(
      `update ${this.#tables.people} set name = coalesce($2, name),
         locale = case when $3 then $4 else locale end, time_zone = coalesce($5, time_zone), updated_at = $6
       where ${this.#tables.id} = $1`,
      [personId, name, locale !== undefined, locale ?? null, timeZone, at],
    );
    return this.find(tx, personId);
  }

  async setPassword(tx: Tx, personId: string, phc: string | null, at: Date): Promise<void> {
    await tx.execute(
      `update ${this.#tables.people} set password_phc = $2, updated_at = $3 where ${this.#tables.id} = $1`,
      [personId, phc, at],
    );
  }

  totpContext(personId: string): string {
    return `${this.#tables.totp}:${personId}`;
  }

  /** Keeps a secret that waits for its first code; false when the person has codes already. */
  setPendingTotp(tx: Tx, personId: string, sealed: Uint8Array, at: Date): Promise<boolean> {
    return changed(
      tx,
      `update ${this.#tables.people} set totp_pending_sealed = $2, updated_at = $3
         where ${this.#tables.id} = $1 and totp_sealed is null`,
      [personId, sealed, at],
    );
  }

  /** Makes the waiting secret the person's; false if another one waits. */
  confirmTotp(tx: Tx, personId: string, sealed: Uint8Array, step: number, at: Date): Promise<boolean> {
    return changed(
      tx,
      `update ${this.#tables.people} set totp_sealed = totp_pending_sealed, totp_pending_sealed = null,
           totp_last_step = $3, updated_at = $4
         where ${this.#tables.id} = $1 and totp_pending_sealed = $2 and totp_sealed is null`,
      [personId, sealed, step, at],
    );
  }

  /** False: there was none, and none waited for its first code. */
  dropTotp(tx: Tx, personId: string, at: Date): Promise<boolean> {
    return changed(
      tx,
      `update ${this.#tables.people} set totp_sealed = null, totp_pending_sealed = null,
           totp_last_step = null, updated_at = $2
         where ${this.#tables.id} = $1 and (totp_sealed is not null or totp_pending_sealed is not null)`,
      [personId, at],
    );
  }

  /** Records the step of a code: false if it, or a later one, was used before. RFC 6238 §5.2 */
  spendTotpStep(tx: Tx, personId: string, step: number): Promise<boolean> {
    return changed(
      tx,
      `update ${this.#tables.people} set totp_last_step = $2
         where ${this.#tables.id} = $1 and (totp_last_step is null or totp_last_step < $2)`,
      [personId, step],
    );
  }

  async replaceRecoveryCodes(tx: Tx, personId: string, codes: readonly Uint8Array[]): Promise<void> {
    const { id } = this.#tables;
    await tx.execute(`delete from ${this.#tables.recoveryCodes} where ${id} = $1`, [personId]);
    await tx.execute(
      `insert into ${this.#tables.recoveryCodes} (${id}, code_sha256) select $1, unnest($2::bytea[])`,
      [personId, codes],
    );
  }

  spendRecoveryCode(tx: Tx, personId: string, sha256: Uint8Array, at: Date): Promise<boolean> {
    return changed(
      tx,
      `update ${this.#tables.recoveryCodes} set spent_at = $3
         where ${this.#tables.id} = $1 and code_sha256 = $2 and spent_at is null`,
      [personId, sha256, at],
    );
  }

  /** Null: this credential is somebody's already. */
  insertPasskey(tx: Tx, passkey: NewPasskey): Promise<Passkey | null> {
    const { passkeyId, ownerId, credentialId, publicKey, signCount } = passkey;
    const { transports, backedUp, name, createdAt } = passkey;
    return first<Passkey>(
      tx,
      `insert into ${this.#tables.passkeys} (passkey_id, ${this.#tables.id}, credential_id, public_key,
           sign_count, transports, backed_up, name, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
         on conflict (credential_id) do nothing returning ${this.#passkey}`,
      [passkeyId, ownerId, credentialId, publicKey, signCount, transports, backedUp, name, createdAt],
    );
  }

  /** Oldest first. */
  listPasskeys(tx: Tx, personId: string): Promise<Passkey[]> {
    const { passkeys, id } = this.#tables;
    return tx.query<Passkey>(
      `select ${this.#passkey} from ${passkeys} where ${id} = $1 order by passkey_id`,
      [personId],
    );
  }

  findPasskey(tx: Tx, credentialId: Uint8Array): Promise<Passkey | null> {
    const { passkeys } = this.#tables;
    return first<Passkey>(tx, `select ${this.#passkey} from ${passkeys} where credential_id = $1`, [
      credentialId,
    ]);
  }

  /** False if it was removed, or another request used it, since it was read. */
  usePasskey(
    tx: Tx,
    { passkeyId, signCount }: Pick<Passkey, 'passkeyId' | 'signCount'>,
    to: { signCount: number; backedUp: boolean; at: Date },
  ): Promise<boolean> {
    return changed(
      tx,
      `update ${this.#tables.passkeys} set sign_count = $3, backed_up = $4, last_used_at = $5
         where passkey_id = $1 and sign_count = $2`,
      [passkeyId, signCount, to.signCount, to.backedUp, to.at],
    );
  }

  renamePasskey(tx: Tx, personId: string, passkeyId: string, name: string): Promise<Passkey | null> {
    return first<Passkey>(
      tx,
      `update ${this.#tables.passkeys} set name = $3
         where ${this.#tables.id} = $1 and passkey_id = $2 returning ${this.#passkey}`,
      [personId, passkeyId, name],
    );
  }

  deletePasskey(tx: Tx, personId: string, passkeyId: string): Promise<Passkey | null> {
    return first<Passkey>(
      tx,
      `delete from ${this.#tables.passkeys}
         where ${this.#tables.id} = $1 and passkey_id = $2 returning ${this.#passkey}`,
      [personId, passkeyId],
    );
  }

  deletePasskeys(tx: Tx, personId: string): Promise<number> {
    return tx.execute(`delete from ${this.#tables.passkeys} where ${this.#tables.id} = $1`, [personId]);
  }

  async insertSession(
    tx: Tx,
    session: SessionRow & { readonly tokenSha256: Uint8Array; readonly network: string },
  ): Promise<void> {
    const { sessionId, personId, tokenSha256, state, createdAt, authenticatedAt } = session;
    const { lastSeenAt, expiresAt, network, clientAddress, userAgent } = session;
    await tx.execute(
      `insert into ${this.#tables.sessions} (session_id, ${this.#tables.id}, token_sha256, state, created_at,
         authenticated_at, last_seen_at, expires_at, network, client_address, user_agent)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
      [
        ...[sessionId, personId, tokenSha256, state, createdAt, authenticatedAt],
        ...[lastSeenAt, expiresAt, network, clientAddress, userAgent],
      ],
    );
  }

  /** Finds a session that has neither ended nor expired; the caller judges idleness. */
  findSession(tx: Tx, tokenSha256: Uint8Array, now: Date): Promise<S | null> {
    const { people, id, sessions, passkeys, own } = this.#tables;
    return first<S>(
      tx,
      `select ${this.#session}, u.email, u.name, u.locale, u.time_zone as "timeZone"${own.session},
           u.password_phc is not null as "hasPassword", u.totp_sealed is not null as "hasTotp",
           exists (select 1 from ${passkeys} p where p.${id} = s.${id}) as "hasPasskeys"
         from ${sessions} s join ${people} u on u.${id} = s.${id}
         where s.token_sha256 = $1 and s.ended_at is null and s.expires_at > $2`,
      [tokenSha256, now],
      `find_${sessions}`,
    );
  }

  async touchSession(tx: Tx, sessionId: string, at: Date): Promise<void> {
    await tx.execute(
      `update ${this.#tables.sessions} set last_seen_at = greatest(last_seen_at, $2) where session_id = $1`,
      [sessionId, at],
    );
  }

  /** The second factor came: a new token, and the whole time. False when another request was first. */
  completeSession(
    tx: Tx,
    sessionId: string,
    to: { readonly tokenSha256: Uint8Array; readonly at: Date; readonly expiresAt: Date },
  ): Promise<boolean> {
    return changed(
      tx,
      `update ${this.#tables.sessions} set state = 'whole', token_sha256 = $2, authenticated_at = $3,
           last_seen_at = $3, expires_at = $4
         where session_id = $1 and state = 'half' and ended_at is null`,
      [sessionId, to.tokenSha256, to.at, to.expiresAt],
    );
  }

  async refreshAuthentication(tx: Tx, sessionId: string, at: Date): Promise<void> {
    await tx.execute(
      `update ${this.#tables.sessions} set authenticated_at = $2
       where session_id = $1 and state = 'whole' and ended_at is null`,
      [sessionId, at],
    );
  }

  /** False when the person has no such open session. */
  endSession(tx: Tx, personId: string, sessionId: string, at: Date): Promise<boolean> {
    return changed(
      tx,
      `update ${this.#tables.sessions} set ended_at = $3
         where ${this.#tables.id} = $1 and session_id = $2 and ended_at is null`,
      [personId, sessionId, at],
    );
  }

  /** By its token, whoever it belongs to: a browser that signs in again leaves no old session. */
  async endSessionByToken(tx: Tx, tokenSha256: Uint8Array, at: Date): Promise<void> {
    await tx.execute(
      `update ${this.#tables.sessions} set ended_at = $2 where token_sha256 = $1 and ended_at is null`,
      [tokenSha256, at],
    );
  }

  /** `exceptId`: the session that continues; null: none does. */
  endSessions(tx: Tx, personId: string, exceptId: string | null, at: Date): Promise<number> {
    return tx.execute(
      `update ${this.#tables.sessions} set ended_at = $3
       where ${this.#tables.id} = $1 and ended_at is null and ($2::uuid is null or session_id <> $2)`,
      [personId, exceptId, at],
    );
  }

  /** Open sessions, newest first. */
  listOpenSessions(
    tx: Tx,
    personId: string,
    open: { readonly now: Date; readonly idleSince: Date },
    limit: number,
  ): Promise<SessionRow[]> {
    const { sessions, id } = this.#tables;
    return tx.query<SessionRow>(
      `select ${this.#session} from ${sessions} s
       where s.${id} = $1 and s.ended_at is null and s.expires_at > $2 and s.last_seen_at > $3
       order by s.session_id desc limit $4`,
      [personId, open.now, open.idleSince, limit],
    );
  }

  /** Ends all but the newest `keep`. */
  async endOldestSessions(tx: Tx, personId: string, keep: number, at: Date): Promise<void> {
    const { sessions, id } = this.#tables;
    await tx.execute(
      `update ${this.#tables.sessions} set ended_at = $3
       where ${id} = $1 and ended_at is null and session_id not in
         (select session_id from ${sessions} where ${id} = $1 and ended_at is null
          order by session_id desc limit $2)`,
      [personId, keep, at],
    );
  }

  /** Deletes sessions opened before `before`; open ones never last that long. */
  async forgetSessions(tx: Tx, personId: string, before: Date): Promise<void> {
    await tx.execute(
      `delete from ${this.#tables.sessions} where ${this.#tables.id} = $1 and created_at < $2`,
      [personId, before],
    );
  }

  /** True if this person has signed in from there since. */
  async isKnownNetwork(tx: Tx, personId: string, network: string, since: Date): Promise<boolean> {
    const { sessions, id } = this.#tables;
    const { known } = await only<{ known: boolean }>(
      tx,
      `select exists (select 1 from ${sessions}
           where ${id} = $1 and network = $2 and state = 'whole' and created_at > $3) as known`,
      [personId, network, since],
    );
    return known;
  }

  async #readSealed(tx: Tx, after: string, limit: number) {
    const { people, id } = this.#tables;
    const rows = await tx.query<{ id: string; sealed: Uint8Array | null; pending: Uint8Array | null }>(
      `select ${id} as id, totp_sealed as sealed, totp_pending_sealed as pending from ${people}
       where ${id} > $1 order by ${id} limit $2`,
      [after, limit],
    );
    return rows.map(({ id, sealed, pending }) => ({
      ids: [id],
      sealed: [sealed, pending],
      context: this.totpContext(id),
    }));
  }

  #replaceSealed(tx: Tx, values: readonly unknown[]): Promise<boolean> {
    return changed(
      tx,
      `update ${this.#tables.people} set totp_sealed = $2, totp_pending_sealed = $3
         where ${this.#tables.id} = $1 and totp_sealed is not distinct from $4
           and totp_pending_sealed is not distinct from $5`,
      values,
    );
  }
}
