import { parseMailbox } from '@acuse/mail/mailbox';
import { ApiError, type ApiErrorCode } from '../../errors.ts';
import type { Accept } from '../../messages/accept.ts';
import { readJsonSubmission } from '../../messages/submission.ts';
import type { Log } from '../../platform/logger.ts';
import type { SystemMail } from '../sessions/system-mail.ts';
import { openSystemAccount, type SystemAccount, type SystemAccountDeps } from './account.ts';

/** Errors that retrying cannot fix: they go back to the caller. */
const NO_WAY: readonly ApiErrorCode[] = [
  'domain_not_verified',
  'from_not_approved',
  'recipient_suppressed',
  'invalid_address',
  'conflict',
  'quota_exceeded',
];

interface SystemMailDeps extends SystemAccountDeps {
  accept: Accept;
  log: Log;
  /** ACUSE_SYSTEM_SENDER: `Acuse <portal@example.com>`. */
  sender: string;
}

function encoded({ filename, content }: { filename: string; content: Uint8Array }) {
  return { filename, content: Buffer.from(content).toString('base64') };
}

/** Sends as any account does, plain: through the same checks, queue and retries. */
export function createSystemMail(deps: SystemMailDeps): SystemMail {
  const { accept, log, sender } = deps;
  const { address, domain } = parseMailbox(sender);
  let opened: SystemAccount | null = null;
  /** Made with the first mail: an installation without people has no such account. */
  async function account(): Promise<SystemAccount> {
    opened ??= await openSystemAccount(deps, { address, domain });
    return opened;
  }
  return {
    async send({ to, subject, text, key, attachment }) {
      const value = {
        ...{ from: sender, to, subject, text, certified: false },
        ...(attachment && { attachments: [encoded(attachment)] }),
      };
      try {
        const { tenantId } = await account();
        await accept({
          tenantId,
          idempotencyKey: key,
          submission: readJsonSubmission(value),
          submissionBytes: Buffer.from(JSON.stringify(value)),
        });
        return true;
      } catch (error) {
        if (!(error instanceof ApiError) || !NO_WAY.includes(error.code)) throw error;
        log.warn(
          { cause: error.code, tenantId: opened?.tenantId },
          'a mail of Acuse itself was not accepted',
        );
        return false;
      }
    },
  };
}
