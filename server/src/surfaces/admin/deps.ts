import type { VerifyDeps } from '../../accounts/domains/verify.ts';
import type { Config } from '../../config/config-type.ts';
import type { Checks } from '../../evidence/fsck/checks.ts';
import type { Witnesses } from '../../evidence/log/witnesses.ts';
import type { Authorities } from '../../evidence/stamp/authorities.ts';
import type { ArchivedContents } from '../../messages/archived-contents.ts';
import type { PromiseOf } from '../../messages/present.ts';
import type { OperatorSessions } from '../../people/operators/operator-sessions.ts';
import type { Changes } from '../../platform/database/changes.ts';
import type { DbAndClock } from '../../platform/database/db.ts';
import type { Log } from '../../platform/logger.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import type { Threads } from '../../platform/threads/threads.ts';
import type { Audit } from './audit.ts';

export interface AdminDeps extends DbAndClock {
  readonly config: Config;
  readonly changes: Changes;
  readonly log: Log;
  readonly secrets: SecretBox;
  readonly threads: Threads;
  readonly archived: ArchivedContents;
  readonly promiseOf: PromiseOf;
  readonly domains: VerifyDeps;
  readonly authorities: Authorities;
  readonly witnesses: Witnesses;
  readonly checks: Checks;
  readonly audit: Audit;
  /** The URL prefix of the portal. */
  readonly portalUrl: string;
}

/** Operators who sign in, and the record of what they do. */
export type AuditedSessions = OperatorSessions & { readonly audit: Audit };
