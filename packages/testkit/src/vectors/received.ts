/**
 * Copies of the vectors' letter as somebody shows them: genuine, changed on the way, or forged around the
 * genuine one. docs/evidence-format.md §10
 */
import { LETTER } from './messages.ts';

type Received = [file: string, why: string, bytes: Uint8Array];

const letter = Buffer.from(LETTER).toString('latin1');
const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));

export function receivedMessages(): Received[] {
  return [...honest(), ...changed(), ...FORGED_BEFORE.map(asForged), ...forgedAround()];
}

function honest(): Received[] {
  const relays = [
    'Delivered-To: luis@receiver.example',
    'Return-Path: <bounce@sandbox.test>',
    'ARC-Seal: i=1; a=rsa-sha256; cv=none; d=receiver.example; s=a;\r\n b=AAAA',
    'Authentication-Results: mx.receiver.example;\r\n\tdkim=pass',
    'Received: from relay.example by mx.receiver.example;\r\n Wed, 4 Mar 2026 05:06:09 +0000',
    'X-Spam-Status: No',
  ].map((field) => `${field}\r\n`);
  return [
    ['as-sent', 'as it was sent', LETTER],
    [
      'relayed',
      'with what relays put before it',
      bytesOf(`Received: by relay.example\r\nX-Spam: no\r\n${letter}`),
    ],
    [
      'relayed-by-many',
      'with all kinds of fields that relays put before it',
      bytesOf(relays.join('') + letter),
    ],
    ['line-ends', 'saved with LF alone', bytesOf(letter.replaceAll('\r\n', '\n'))],
    [
      'refolded',
      'a header folded anew, spaces changed',
      bytesOf(letter.replace('Subject: ', 'Subject:\r\n  ')),
    ],
  ];
}

function changed(): Received[] {
  return [
    [
      'reencoded',
      'the attachment in lines of another length',
      bytesOf(letter.replace('JVBERi0xLjQK', 'JVBERi0x\r\nLjQK')),
    ],
    ['changed', 'another sum in the text', bytesOf(letter.replace('1=E2=82=AC', '9=E2=82=AC'))],
    ['other-subject', 'another subject', bytesOf(letter.replace('Aviso', 'Avisa'))],
    ['footer', 'the footer of a mailing list behind it', bytesOf(`${letter}-- \r\nA list\r\n`)],
    ['another', 'another message', bytesOf('From: eva@receiver.example\r\n\r\nx\r\n')],
  ];
}

/** Fields before the genuine message, which is byte for byte the same from its first field on. */
const FORGED_BEFORE: readonly [file: string, before: string][] = [
  ['from', 'From: Eva <eva@receiver.example>\r\n'],
  ['subject', 'Subject: Otro\r\n'],
  ['to', 'To: eva@receiver.example\r\n'],
  ['cc', 'Cc: eva@receiver.example\r\n'],
  ['date', 'Date: Thu, 1 Jan 2026 00:00:00 +0000\r\n'],
  ['reply-to', 'Reply-To: eva@receiver.example\r\n'],
  ['sender', 'Sender: eva@receiver.example\r\n'],
  ['message-id', 'Message-ID: <x@receiver.example>\r\n'],
  ['mime-version', 'MIME-Version: 1.0\r\n'],
  ['content-type', 'Content-Type: text/plain\r\n'],
  ['content-disposition', 'Content-Disposition: attachment\r\n'],
  ['resent-from', 'Resent-From: eva@receiver.example\r\n'],
  ['list-unsubscribe', 'List-Unsubscribe: <https://receiver.example>\r\n'],
  ['thread-topic', 'Thread-Topic: Otro\r\n'],
  ['message-flag', 'X-Message-Flag: Pay at once\r\n'],
  ['service-evidence', 'Service-Evidence: v1; id=x\r\n'],
  ['lower-case', 'from: Eva <eva@receiver.example>\r\n'],
  ['space-before-colon', 'From : Eva <eva@receiver.example>\r\n'],
  ['tab-before-colon', 'Subject\t: Otro\r\n'],
  ['folded', 'Received: x\r\nSubject:\r\n Otro\r\n'],
  ['encoded-word', 'Subject: =?utf-8?Q?Otro?=\r\n'],
  ['bare-cr', 'X-Spam: no\rFrom: Eva <eva@receiver.example>\r\n'],
  ['bare-lf', 'X-Spam: no\nFrom: Eva <eva@receiver.example>\r\n'],
  ['nul', 'X-Spam: no\0From: Eva <eva@receiver.example>\r\n'],
  ['nul-in-name', 'From\0: Eva <eva@receiver.example>\r\n'],
  ['byte-order-mark', '\xef\xbb\xbfFrom: Eva <eva@receiver.example>\r\n'],
  ['no-break-space', 'From\xa0: Eva <eva@receiver.example>\r\n'],
  ['mbox', 'From eva@receiver.example Thu Jan  1 00:00:00 2026\r\n'],
  ['mbox-without-time', 'From eva@receiver.example\r\n'],
  ['no-field', 'Eva wrote this\r\n'],
  ['continuation', ' Subject: Otro\r\n'],
  ['blank-fold', 'X-Spam: no\r\n \r\nSubject: Otro\r\n'],
  ['blank-fold-of-text', 'X-Spam: no\r\n \r\n Pay to another account.\r\n'],
  ['second-header', 'From: Eva <eva@receiver.example>\r\nSubject: Otro\r\n\r\n'],
  ['empty-line', '\r\n'],
  ['long-line', `X-Spam: ${'n'.repeat(2000)}From: Eva <eva@receiver.example>\r\n`],
];

const asForged = ([file, before]: readonly [string, string]): Received => [
  `forged-${file}`,
  'something before the genuine message that no relay writes',
  bytesOf(before + letter),
];

function forgedAround(): Received[] {
  const wrapped = `From: Eva <eva@receiver.example>\r\nSubject: Otro\r\nMIME-Version: 1.0\r\n`;
  const attached = `Content-Type: multipart/mixed; boundary=w\r\n\r\n--w\r\n\r\nPay to another account.\r\n--w\r\nContent-Type: message/rfc822\r\n\r\n`;
  const at = letter.indexOf('Subject: ');
  const inside = (field: string) => bytesOf(`${letter.slice(0, at)}${field}\r\n${letter.slice(at)}`);
  return [
    [
      'forged-wrapping',
      'the genuine message attached to another',
      bytesOf(`${wrapped}${attached}${letter}\r\n--w--\r\n`),
    ],
    [
      'forged-inside-from',
      'a second From among the sealed fields',
      inside('From: Eva <eva@receiver.example>'),
    ],
    ['forged-inside-sender', 'a Sender among the sealed fields', inside('Sender: eva@receiver.example')],
    ['forged-inside-no-field', 'a line among the fields that is none', inside('Pay to another account')],
    ['forged-inside-nul', 'a From that only some programs read', inside('From\0: eva@receiver.example')],
    [
      'forged-blank-fold',
      'a field with an empty line in its folds',
      bytesOf(letter.replace(/(\r\nSubject: .*)\r\n/, '$1\r\n \r\n')),
    ],
  ];
}
