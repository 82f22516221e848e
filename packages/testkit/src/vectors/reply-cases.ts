/** The recipient's own mail: which acknowledges, and for each rule one that breaks it. */
import { assembleBundle } from '@acuse/evidence/assemble';
import { toHex } from '@acuse/evidence/bytes';
import type { MailReportFacts } from '@acuse/evidence/delivery-facts';
import { evidenceOf } from './acknowledgement-cases.ts';
import { type Authority, READ_AT, sha256, type VectorKeys } from './authority.ts';
import type { LineCases } from './line-cases.ts';
import { MESSAGE_ID } from './messages.ts';
import { type MailSigner, mailBytes, mailSigners, type ReplyMail, signed } from './reply-mail.ts';

const addressOf = (messageId: string) =>
  `ack+${messageId.replaceAll('-', '')}-abcdefghijklmnop@bounce.sandbox.test`;
const OTHER_ID = MESSAGE_ID.replace(/1$/, '2');

const MAIL: ReplyMail = {
  fields: [
    ['Received', ' from phone (phone.receiver.example [192.0.2.20])\r\n\tby mx.receiver.example'],
    ['From', ' "Luis, de compras <y pagos>" <Luis@Receiver.Example>'],
    ['To', ` ${addressOf(MESSAGE_ID)}`],
    ['Subject', ' Acuse de  recibo'],
    ['Date', ' Wed, 04 Mar 2026 08:01:29 +0000'],
    ['Message-ID', ' <1@receiver.example>'],
  ],
  body: 'Recibido,  gracias. \r\n\r\nLuis\r\n\r\n\r\n',
};

function having(name: string, value: string, mail = MAIL): ReplyMail {
  return { ...mail, fields: mail.fields.map(([each, old]) => [each, each === name ? value : old] as const) };
}

function adding(name: string, value: string, mail: ReplyMail): ReplyMail {
  return { ...mail, fields: [[name, value], ...mail.fields] };
}

export async function replyCases(authority: Authority, keys: VectorKeys): Promise<LineCases> {
  const { rsa, weak, ed25519 } = mailSigners(keys);
  const cases: LineCases = new Map();
  async function add(
    name: string,
    why: string,
    mail: ReplyMail,
    under: MailSigner = rsa,
    came?: string,
  ): Promise<void> {
    const { privateKey: _, ...dkim } = under;
    const dsn = mailBytes(mail);
    const report = { ...CAME, sha256: came ?? toHex(sha256(dsn)) };
    const evidence = await evidenceOf(authority, {
      kind: 'acknowledged',
      source: 'reported_by_mail',
      occurredAt: new Date('2026-03-04T08:01:30.000Z'),
      facts: {
        ip: null,
        mx: null,
        reply: null,
        tls: null,
        reported_by_mail: report,
        acknowledgement: { dkim },
      },
      dsn,
    });
    cases.set(name, { why, bundle: assembleBundle(evidence, sha256), now: READ_AT });
  }
  const good = signed(MAIL, rsa);

  await add('good/reply-rsa', 'acknowledged by a mail that the domain of the recipient signed', good);
  await add('good/reply-ed25519', 'signed with Ed25519', signed(MAIL, ed25519), ed25519);
  for (const [header, body] of [
    ['simple', 'simple'],
    ['relaxed', 'simple'],
    ['simple', 'relaxed'],
  ] as const)
    await add(
      `good/reply-${header}-${body}`,
      `in the forms ${header}/${body}`,
      signed(MAIL, rsa, { header, body }),
    );
  const parent = { ...rsa, domain: 'example.test' };
  await add(
    'good/reply-second-signature',
    'a relay signed on top, in the name of another domain',
    signed(good, { ...ed25519, domain: 'relay.example' }),
  );
  await add(
    'good/reply-subdomain',
    'signed in the name of a domain below that of From',
    signed(MAIL, {
      ...rsa,
      domain: 'mail.receiver.example',
    }),
    { ...rsa, domain: 'mail.receiver.example' },
  );

  await add('broken/reply-body', 'a word of the body was added after it was signed', {
    ...good,
    body: `No ${good.body}`,
  });
  await add(
    'broken/reply-from-changed',
    'the name in From was changed after it was signed',
    having('From', ' Luis <luis@receiver.example>', good),
  );
  await add(
    'broken/reply-from-other',
    'a colleague of the recipient wrote it',
    signed(having('From', ' <ana@receiver.example>'), rsa),
  );
  await add(
    'broken/reply-from-two',
    'two addresses in From',
    signed(having('From', ' ana@receiver.example, luis@receiver.example'), rsa),
  );
  await add(
    'broken/reply-from-twice',
    'a From above the one that is signed',
    adding('From', ' luis@receiver.example', good),
  );
  await add(
    'broken/reply-from-missing',
    'signed without From',
    signed(MAIL, rsa, { names: ['To', 'Subject'] }),
  );
  await add(
    'broken/reply-to-missing',
    'signed without To',
    signed(MAIL, rsa, { names: ['From', 'Subject'] }),
  );
  await add(
    'broken/reply-of-another',
    'a mail that acknowledges another message',
    signed(having('To', ` ${addressOf(OTHER_ID)}`), rsa),
  );
  await add(
    'good/reply-to-named',
    'to the address of the message by a name',
    signed(having('To', ` "Ventas, <de> Ana" <${addressOf(MESSAGE_ID).toUpperCase()}>`), rsa),
  );
  const inName = addressOf(MESSAGE_ID).split('@')[0]!;
  for (const [name, why, to] of [
    ['name', 'an answer to somebody who has the address in his name', `"${inName}" <ana@sandbox.test>`],
    ['comment', 'the address in a comment of To', `ana@sandbox.test (${addressOf(MESSAGE_ID)})`],
    ['two', 'to the address and to somebody else', `${addressOf(MESSAGE_ID)}, ana@sandbox.test`],
    ['behind', 'an address that ends as the one of the message', `a${addressOf(MESSAGE_ID)}`],
  ] as const)
    await add(`broken/reply-to-${name}`, why, signed(having('To', ` ${to}`), rsa));
  await add('broken/reply-unaligned', 'signed in the name of a stranger', signed(MAIL, parent), parent);
  const above = { ...rsa, domain: 'example' };
  await add('broken/reply-top-level', 'signed in the name of a top-level domain', signed(MAIL, above), above);
  await add(
    'broken/reply-partial',
    'a signature over the beginning of the body',
    signed(MAIL, rsa, { more: ' l=8;' }),
  );
  await add('broken/reply-key', 'signed with another key than the facts have', good, {
    ...rsa,
    public_key: weak.public_key,
  });
  await add('broken/reply-selector', 'signed under another selector', good, { ...rsa, selector: 's2' });
  await add('broken/reply-weak', 'signed with an RSA key of 768 bits', signed(MAIL, weak), weak);
  await add('broken/reply-unsigned', 'not signed', MAIL);
  await add('broken/reply-not-as-it-came', 'another mail than the one that came', good, rsa, '0'.repeat(64));
  return cases;
}

const CAME: Omit<MailReportFacts, 'sha256'> = {
  claims: {
    feedback_type: null,
    final_recipient: null,
    original_recipient: null,
    remote_mta: null,
    reply: null,
  },
  dkim: { domains: ['receiver.example'], result: 'pass' },
  mail_from: 'luis@receiver.example',
  peer: { helo: 'mx.receiver.example', ip: '192.0.2.7', tls: null },
  spf: { domain: 'receiver.example', result: 'pass' },
  vouched_by: 'dkim',
};
