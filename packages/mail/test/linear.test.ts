import { certificatesFromPem } from '@acuse/evidence/timestamp/certificate';
import { expect, it } from 'vitest';
import { classify } from '../src/reply/classify.ts';
import { formatReply } from '../src/reply/parse.ts';
import { readReturnedMail } from '../src/report/read-report.ts';
import { readPolicy } from '../src/routing/mta-sts.ts';
import { parseExtensions } from '../src/smtp/extensions.ts';

/** With 10 MiB each, anything that grows with the square of its input outlives the time that a test has. */
const SIZE = 10 * 1_048_576;
const fill = (unit: string) => unit.repeat(Math.ceil(SIZE / unit.length));

const READERS: [string, (text: string) => unknown][] = [
  ['an MTA-STS policy', (text) => readPolicy(`version: STSv1\nmx:${text}\r`)],
  ['a reply, formatted', (text) => formatReply({ code: 550, enhanced: null, text })],
  [
    'a reply, classified',
    (text) => classify({ kind: 'refused', stage: 'rcpt', reply: { code: 550, enhanced: null, text } }),
  ],
  ['an answer to EHLO', (text) => parseExtensions(`hi\n${text}`)],
  ['a report in plain text', (text) => readReturnedMail(Buffer.from(`Subject: x\n\n${text}`))],
  ['a report in HTML', (text) => readReturnedMail(Buffer.from(`Content-Type: text/html\n\n${text}`))],
  ['a report with headers', (text) => readReturnedMail(Buffer.from(`Subject: ${text}`))],
  ['certificates in PEM', (text) => certificatesFromPem(text)],
];

const UNITS = [
  '\t',
  '\n',
  ' \n',
  '<',
  '"',
  '(',
  '@',
  'a@',
  '-',
  '--b\n',
  '=?',
  ':',
  '\\',
  '=',
  '550 5.1.1 ',
  '\u2028',
];

it.each(READERS)('%s of 10 MiB is read, whatever it is full of', (_, read) => {
  for (const unit of [...UNITS, '-----BEGIN CERTIFICATE-----'])
    expect(() => read(`${fill(unit)}x`)).not.toThrow();
});
