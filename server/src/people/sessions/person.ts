/** A person who signs in, to the portal or to the admin console. Each kind has its own tables. */
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

/** half: the second factor still has to be shown, or set up. */
type SessionState = 'half' | 'whole';

/** A session and its person. */
export interface OpenSession extends SessionRow, Pick<Person, 'email' | 'name' | 'locale' | 'timeZone'> {
  readonly hasPassword: boolean;
  readonly hasTotp: boolean;
  readonly hasPasskeys: boolean;
}

export interface Passkey {
  readonly passkeyId: string;
  readonly ownerId: string;
  readonly credentialId: Buffer;
  readonly publicKey: Buffer;
  readonly signCount: number;
  readonly transports: string[];
  readonly backedUp: boolean;
  readonly name: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

export type NewPasskey = Omit<Passkey, 'lastUsedAt'>;
