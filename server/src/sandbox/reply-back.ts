import { type DkimSigner, dkimSignatures } from '@acuse/mail/dkim';
import { compareKey, parseAddress } from '@acuse/mail/mailbox';
import { makeReplyAddress } from '@acuse/mail/reply-address';
import { SANDBOX_DOMAIN } from '../accounts/suppressions/sandbox-addresses.ts';
import type { AskedRow } from '../messages/acknowledgement-store.ts';
import { newId } from '../platform/ids.ts';
import { fields, rfc5322Date } from './foreign-reports.ts';
import { sandboxSigner } from './reply-key.ts';
import { deliver, type ReportBackDeps } from './report-back.ts';

interface ReplyBackDeps extends ReportBackDeps {
  readonly returnPathSecret: Uint8Array;
}

const WORDS = {
  en: { subject: 'Acknowledgement of receipt', text: 'Received, thank you.' },
  es: { subject: 'Acuse de recibo', text: 'Recibido, gracias.' },
} as const;

/** A recipient who acknowledges by mail, which their mail domain signs, as from any mail program. */
export function createReplyBack(
  deps: ReplyBackDeps,
): (asked: AskedRow, signal: AbortSignal) => Promise<void> {
  const signer: DkimSigner = sandboxSigner(deps.returnPathSecret);
  return async ({ messageId, recipientAddress, language }, signal) => {
    const secret = deps.returnPathSecret;
    const to = makeReplyAddress({ messageId, secret, domain: deps.returnPath.host });
    const from = compareKey(parseAddress(recipientAddress));
    const at = deps.clock.now();
    const { subject, text } = WORDS[language ?? 'es'];
    const header = fields({
      From: `<${from}>`,
      To: `<${to}>`,
      Subject: subject,
      Date: rfc5322Date(at),
      'Message-ID': `<${newId(at.getTime())}@${SANDBOX_DOMAIN}>`,
    });
    const mail = Buffer.from(`${header}\r\n${text}\r\n`, 'latin1');
    const signature = await dkimSignatures([signer], mail, at.getTime());
    const path = { reversePath: from, forwardPath: to };
    await deliver(deps, path, Buffer.concat([signature, mail]), signal);
  };
}
