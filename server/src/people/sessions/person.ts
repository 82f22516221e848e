import type { Tx } from '../../platform/database/db.ts';
import type { PasskeyStore } from './passkeys.ts';

/** Whoever signs in: of the portal or of the admin console. Each kind has tables of its own. */
export interface Person {
  readonly personId: string;
  readonly email: string;
  readonly name: string;
  readonly locale: Locale | null;
  readonly timeZone: string;
  readonly passwordPhc: string | null;
  readonly totpSealed: Buffer | null;
  readonly totpPendingSealed: Buffer | null;
  readonly hasPasskeys: boolean;
  readonly createdAt: Date;
}

export type Locale = 'es' | 'en';

export interface SessionRow {
  readonly sessionId: string;
  readonly personId: string;
  readonly state: SessionState;
  readonly createdAt: Date;
  readonly authenticatedAt: Date;
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
  readonly clientAddress: string;
  readonly userAgent: string;
}

/** half: the second factor is still to come, or still to be set up. */
type SessionState = 'half' | 'whole';

/** A session and whose it is. */
export interface OpenSession extends SessionRow, Pick<Person, 'email' | 'name' | 'locale' | 'timeZone'> {
  readonly hasPassword: boolean;
  readonly hasTotp: boolean;
  readonly hasPasskeys: boolean;
}

/** The rows of one kind; users-store.ts, sessions-store.ts and passkeys-store.ts say what each does. */
export interface PersonStore<P extends Person, S extends OpenSession> extends PasskeyStore {
  findByEmail(tx: Tx, emailKey: string): Promise<P | null>;
  lockPerson(tx: Tx, personId: string): Promise<P | null>;
  setPassword(tx: Tx, personId: string, phc: string, at: Date): Promise<void>;
  setPendingTotp(tx: Tx, personId: string, sealed: Buffer, at: Date): Promise<boolean>;
  confirmTotp(tx: Tx, personId: string, sealed: Buffer, step: number, at: Date): Promise<boolean>;
  dropTotp(tx: Tx, personId: string, at: Date): Promise<boolean>;
  spendTotpStep(tx: Tx, personId: string, step: number): Promise<boolean>;
  replaceRecoveryCodes(tx: Tx, personId: string, codes: readonly Uint8Array[]): Promise<void>;
  spendRecoveryCode(tx: Tx, personId: string, sha256: Uint8Array, at: Date): Promise<boolean>;
  dropLinks(tx: Tx, personId: string, at: Date): Promise<void>;

  insertSession(
    tx: Tx,
    session: SessionRow & { readonly tokenSha256: Uint8Array; readonly network: string },
  ): Promise<void>;
  findSession(tx: Tx, tokenSha256: Uint8Array, now: Date): Promise<S | null>;
  touchSession(tx: Tx, sessionId: string, at: Date): Promise<void>;
  completeSession(
    tx: Tx,
    sessionId: string,
    to: { readonly tokenSha256: Uint8Array; readonly at: Date; readonly expiresAt: Date },
  ): Promise<boolean>;
  refreshAuthentication(tx: Tx, sessionId: string, at: Date): Promise<void>;
  endSession(tx: Tx, personId: string, sessionId: string, at: Date): Promise<boolean>;
  endSessionByToken(tx: Tx, tokenSha256: Uint8Array, at: Date): Promise<void>;
  endSessions(tx: Tx, personId: string, exceptId: string | null, at: Date): Promise<number>;
  endOldestSessions(tx: Tx, personId: string, keep: number, at: Date): Promise<void>;
  forgetSessions(tx: Tx, personId: string, before: Date): Promise<void>;
  isKnownNetwork(tx: Tx, personId: string, network: string, since: Date): Promise<boolean>;
}
