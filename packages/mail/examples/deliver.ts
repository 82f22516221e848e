// Composes a message, signs it, hands it to a server, and says what the answer means.
import { generateKeyPairSync } from 'node:crypto';
import { compose } from '@acuse/mail/compose';
import { createDkimSigner, dkimSignatures } from '@acuse/mail/dkim';
import { readDomainName } from '@acuse/mail/domain-name';
import { bodyText, messageIdOf, subjectText } from '@acuse/mail/header-text';
import { parseMailbox } from '@acuse/mail/mailbox';
import { classify } from '@acuse/mail/reply/classify';
import { connect } from '@acuse/mail/smtp/client';

const [address = '127.0.0.1', port = '2525', recipient = 'ana@example.net'] = process.argv.slice(2);
const now = Date.now();
const { raw } = compose({
  headerFrom: parseMailbox('Peña y Asociados <avisos@example.com>'),
  headerTo: [parseMailbox(recipient)],
  subject: subjectText('Su factura de marzo está lista'),
  text: bodyText('Buenos días:\n\nadjuntamos su factura.\n', 'text'),
  messageId: messageIdOf('factura-2041', readDomainName('example.com')!),
  dateMs: now,
  evidence: null,
  boundarySeed: 'factura-2041-seed',
});
// In the DNS: mail1._domainkey.example.com TXT "v=DKIM1; k=ed25519; p=<signer.publicKey>"
const signer = createDkimSigner({
  domain: 'example.com',
  selector: 'mail1',
  algorithm: 'ed25519-sha256',
  privateKey: generateKeyPairSync('ed25519').privateKey,
});
const signature = await dkimSignatures([signer], raw, now);

const opened = await connect({
  host: address,
  address,
  port: Number(port),
  ehloName: 'mail.example.com',
  tls: { mode: 'opportunistic' },
  clock: performance,
});
const result =
  opened.kind === 'ready'
    ? await opened.session.send({
        reversePath: 'bounces@example.com',
        forwardPath: recipient,
        data: [signature, raw],
      })
    : opened;
if (opened.kind === 'ready') await opened.session.quit();
const { outcome, bounceType, reason, enhancedStatus } = classify(result);
console.log({ outcome, bounceType, reason, enhancedStatus });
