import { createFailedKeys } from '../../accounts/api-keys/failed-keys.ts';
import type { KeyCheck } from '../../accounts/api-keys/key-check.ts';
import { ApiError, apiError } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Scope } from '../../platform/http/http.ts';
import type { Log } from '../../platform/logger.ts';
import type { SmtpAdmission, SmtpAnswer, SmtpLogin } from '../../platform/smtp/smtp-types.ts';

/** The password is an API key, the user name arbitrary. RFC 4954 §4 */
interface LoginDeps {
  readonly keyCheck: KeyCheck;
  readonly clock: Clock;
  readonly log: Log;
  readonly failuresPerMinute?: number;
  onLogin?(admitted: boolean): void;
}

export interface SubmissionIdentity {
  readonly apiKeyId: string;
  readonly tenantId: string;
}

export const SUBMISSION_SCOPES: readonly Scope[] = ['messages:send'];
/**
 * Guessers come to SMTP in herds, so that here every failure counts; a deployment with a mistyped key still
 * reads why.
 */
const LOGIN_FAILURES_PER_MINUTE = 30;

/** The same for every cause, so that nobody learns which of key, account or scope it was. RFC 4954 §6 */
const REFUSED: SmtpAnswer = { code: 535, text: '5.7.8 Authentication credentials invalid' };
const WAIT: SmtpAnswer = { code: 421, text: '4.7.0 Too many failed authentications from your network' };

export function createLogin(
  deps: LoginDeps,
): (login: SmtpLogin) => Promise<SmtpAdmission<SubmissionIdentity>> {
  const { keyCheck, clock, log } = deps;
  const failed = createFailedKeys(clock, deps.failuresPerMinute ?? LOGIN_FAILURES_PER_MINUTE);

  async function judge({ password, clientAddress }: SmtpLogin): Promise<SmtpAdmission<SubmissionIdentity>> {
    try {
      const holder = await keyCheck.identify(password, clientAddress);
      // An agent's token is for its MCP server, never a password. RFC 8707 §2
      if (holder.credential.resource !== null) throw apiError('unauthorized');
      // Nobody waits for a person inside an SMTP session.
      if (holder.credential.narrowing.needsApproval) throw apiError('insufficient_scope');
      const { tenantId } = keyCheck.admit(holder, SUBMISSION_SCOPES);
      return { identity: { apiKeyId: holder.apiKeyId, tenantId } };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === 'rate_limited' || failed.count(clientAddress) !== null) return { refused: WAIT };
      log.info({ client: clientAddress, cause: error.code }, 'an SMTP login was refused');
      return { refused: REFUSED };
    }
  }

  return async (login) => {
    const admission = await judge(login);
    deps.onLogin?.('identity' in admission);
    return admission;
  };
}
