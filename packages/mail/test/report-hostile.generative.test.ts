/** Reports that want to crash, stall or mislead the reader. */
import { leastCost } from '@acuse/testkit/processor-cost';
import fc from '@acuse/testkit/properties';
import { describe, expect, it } from 'vitest';
import { classifyReport } from '../src/report/classify-report.ts';
import { MAX_RECIPIENTS } from '../src/report/limits.ts';
import { type ReturnedMail, readReturnedMail } from '../src/report/read-report.ts';

/** The most that a report may cost, in plain readings of 25 MiB. */
const COST_MAX = 20;

function readInTime(text: string | Uint8Array): ReturnedMail {
  const bytes = typeof text === 'string' ? new Uint8Array(Buffer.from(text, 'latin1')) : text;
  let mail: ReturnedMail | undefined;
  const cost = leastCost(COST_MAX, () => {
    mail = readReturnedMail(bytes);
    if (mail.kind === 'report') for (const recipient of mail.report.recipients) classifyReport(recipient);
  });
  expect(cost).toBeLessThan(COST_MAX);
  return mail!;
}

const head = 'Return-Path: <>\nFrom: MAILER-DAEMON@mx.test\nTo: b+t@bounce.test\nSubject: failure notice\n';

describe('a hostile report', () => {
  it('of one piece repeated takes no time', () => {
    const pieces = [
      'a@',
      'a',
      '@',
      '<',
      '<a@b>',
      ' ',
      '\n',
      '-',
      '--b\n',
      '550 ',
      '5.1.1 ',
      'said: ',
      '>>> ',
      '<<< ',
      '"',
      '=',
      'host x[1] said: ',
      'a@b.c: 550 user unknown\n',
      'rcpt to:<',
      '\0',
      '\xff',
      'http://',
      '&lt;',
      '<br ',
      '=?',
      ';',
      'copy of the message ',
      '(reason: ',
      'mailbox is ',
      '. ',
      'a.b@c.d, ',
    ];
    for (const piece of pieces) {
      readInTime(`${head}\n${piece.repeat(Math.ceil(300_000 / piece.length))}`);
      readInTime(`${head}X-Failed-Recipients: ${piece.repeat(Math.ceil(100_000 / piece.length))}\n\nx`);
      readInTime(`${head}Content-Type: ${piece.repeat(Math.ceil(100_000 / piece.length))}\n\nx`);
    }
  });

  it('of 10 MiB takes no time', () => {
    readInTime(`${head}\n${'x'.repeat(10 * 1_048_576)}`);
    readInTime(`${head}Content-Type: multipart/mixed; boundary=b\n\n${'--b\n\nx\n'.repeat(1_000_000)}`);
    readInTime(`${head}Content-Type: multipart/mixed; boundary=b\n\n${'--bb\n'.repeat(2_000_000)}`);
    readInTime(`${head}\n${'a@b.test\n'.repeat(1_000_000)}`);
  });

  it('that is nested deep, or into itself, is read to the limit', () => {
    let nested = '';
    for (let i = 0; i < 200; i += 1) nested += `Content-Type: multipart/mixed; boundary=b${i}\n\n--b${i}\n`;
    readInTime(`${head}${nested}`);
    const own = 'Content-Type: multipart/mixed; boundary=b\n\n--b\n'.repeat(5_000);
    readInTime(`${head}${own}`);
  });

  it('with a hundred thousand recipients yields only so many', () => {
    const groups = Array.from(
      { length: 100_000 },
      (_, i) => `Final-Recipient: rfc822; u${i}@d.test\nAction: failed\nStatus: 5.1.1\n`,
    );
    const mail = readInTime(
      `${head}Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; x\n\n${groups.join('\n')}\n--b--\n`,
    );
    expect(mail.kind === 'report' && mail.report.recipients.length).toBeLessThanOrEqual(MAX_RECIPIENTS);
  });

  const list = (count: number, name: string, glue: string) =>
    Array.from({ length: count }, (_, i) => `${name}${i}@c`).join(glue);
  const status = (text: string, fields: string) =>
    `${head}Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n--b\n\n${text}\n--b\nContent-Type: message/delivery-status\n\n${fields}\n--b--\n`;
  it.each<[string, string, number]>([
    [
      'lists of senders and recipients',
      `${head}Delivered-To: ${list(9_000, 's', ' ')}\n\n${list(9_000, 'r', ' ')}\n`,
      1,
    ],
    [
      'recipients, of whom each line speaks',
      `${head}X-Failed-Recipients: ${list(9_000, 'r', ' ')}\n\n${list(6_000, 'r', ' ')}\n${'a\n'.repeat(5_000)}`,
      MAX_RECIPIENTS,
    ],
    [
      'recipients of commands',
      `${head}\n${list(4_000, 'rcpt to:<r', '> ')}>\n${'a\n'.repeat(5_000)}`,
      MAX_RECIPIENTS,
    ],
    ['brackets in front of a list', `${head}\n${'<'.repeat(32_000)}${list(5_000, 'r', ' ')}`, 1],
    [
      'groups that belong to the one before',
      status(
        'x',
        `Reporting-MTA: dns; x\n\nFinal-Recipient: rfc822; u@d.test\n\n${'Status: 5\n\n'.repeat(25_000)}`,
      ),
      1,
    ],
    [
      'recipients of whom only the whole text speaks',
      status('x y. '.repeat(13_000), `Final-Recipient: rfc822; u@d.test\n\n`.repeat(MAX_RECIPIENTS)),
      MAX_RECIPIENTS,
    ],
  ])('with many of one thing takes no time: %s', (_, text, recipients) => {
    const mail = readInTime(text);
    expect(mail.kind === 'report' && mail.report.recipients).toHaveLength(recipients);
  });

  it('with bad encodings and charsets is read as far as it goes', () => {
    for (const [encoding, charset] of [
      ['base64', 'utf-8'],
      ['quoted-printable', 'x-unknown'],
      ['x-foo', 'utf-16'],
      ['8bit', '../../etc'],
    ]) {
      readInTime(
        `${head}Content-Type: text/plain; charset="${charset}"\nContent-Transfer-Encoding: ${encoding}\n\n=ZZ=\n<u@d.test>: 550 5.1.1 no\xff\xfe====\n`,
      );
    }
  });

  it('of random parts never throws', () => {
    const part = fc.constantFrom(
      head,
      'Content-Type: multipart/report; report-type=delivery-status; boundary="b"\n',
      '--b\n',
      '--b--\n',
      '\n',
      'Content-Type: message/delivery-status\n',
      'Content-Type: message/rfc822\n',
      'Final-Recipient: rfc822; u@d.test\n',
      'Action: failed\n',
      'Action: \xff\n',
      'Status: 5.1.1\n',
      'Status: 9.9.9\n',
      'Diagnostic-Code: smtp; 550 5.1.1 x\n',
      'Diagnostic-Code: ;\n',
      ' folded\n',
      '<u@d.test>: 550 x\n',
      ': x\n',
      '\0\0',
      'From x\n',
      'Content-Transfer-Encoding: base64\n',
      'Feedback-Type: abuse\n',
      'Content-Type: message/feedback-report\n',
      'a'.repeat(5_000),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        readInTime(parts.join(''));
      }),
      { numRuns: 1_000 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) => {
        readInTime(bytes);
      }),
    );
  });
});
