import { getDomain } from 'tldts';
import { describe, expect, it } from 'vitest';
import { compose } from '../src/compose.ts';
import { createCustomHeaders } from '../src/custom-headers.ts';
import { headerText } from '../src/header-text.ts';
import { complainedMessage, isFromLoop } from '../src/report/complained-message.ts';
import { readReturnedMail } from '../src/report/read-report.ts';
import { asText, composeInput, SEED } from './support/factories.ts';

/** Which message a complaint is about, and what a message says for it to be found. */
function complaint(fields: string, header: string) {
  const raw = [
    'From: x@loop.example',
    'Content-Type: multipart/report; report-type=feedback-report; boundary=b',
    '',
    '--b',
    'Content-Type: message/feedback-report',
    '',
    `Feedback-Type: abuse\r\nVersion: 1\r\n${fields}`,
    '',
    '--b',
    'Content-Type: message/rfc822',
    '',
    header,
    '',
    'text',
    '--b--',
  ].join('\r\n');
  const read = readReturnedMail(Buffer.from(raw));
  if (read.kind !== 'complaint') throw new Error(read.kind);
  return complainedMessage(read.complaint);
}

describe('what a complaint tells of its message', () => {
  const other = '0192f4a1-7b2c-7d3e-8f40-aaaaaaaaaaaa';
  it('the evidence field before the Message-ID, each id once', () => {
    const header = `Message-ID: <${other}@example.com>\r\nService-Evidence: v=1;\r\n id=${SEED.toUpperCase()}; log=x/y\r\nCFBL-Feedback-ID: ${SEED}`;
    expect(complaint('', header).ids).toEqual([SEED, other]);
  });
  it.each([
    ['Service-Evidence: v=1; xid=0192f4a1-7b2c-7d3e-8f40-123456789abc; log=x', 'another tag'],
    ['Service-Evidence: v=1; id=0192f4a1; log=x', 'half an id'],
    ['Message-ID: <x-0192f4a1-7b2c-7d3e-8f40-123456789abc@example.com>', 'an id within another'],
    ['X-Service-Evidence: v=1; id=0192f4a1-7b2c-7d3e-8f40-123456789abc; log=x', 'another field'],
  ])('%s: no id (%s)', (header) => {
    expect(complaint('', header).ids).toEqual([]);
  });
  it.each([
    ['Original-Rcpt-To: <redacted@yahoo.example>', []],
    ['Original-Rcpt-To: rfc822;xxxxxxx@aol.example', []],
    ['Original-Rcpt-To: ****@aol.example', []],
    ['Original-Rcpt-To: <Ana@yahoo.example>\r\nRemoval-Recipient: ana@yahoo.example', ['Ana@yahoo.example']],
  ])('%s', (fields, recipients) => {
    expect(complaint(fields, 'Subject: x').recipients).toEqual(recipients);
  });
  it('whose it is by From, else by the reported domain', () => {
    expect(complaint('Reported-Domain: b.example', 'From: "Ana, S.A." <ana@A.example>')).toMatchObject({
      from: 'ana@A.example',
      fromDomain: 'a.example',
    });
    expect(complaint('Reported-Domain: B.example', 'Subject: x').fromDomain).toBe('b.example');
  });
});

describe('whether it is a provider who says so', () => {
  it.each<[string, string[], string[], boolean]>([
    ['feedback@arf.mail.yahoo.com', ['yahoo.com'], ['aol.com'], true],
    ['staff@hotmail.com', ['hotmail.com'], ['outlook.com', 'mx.protection.outlook.com'], true],
    ['feedback@arf.mail.yahoo.com', ['evil.example'], ['yahoo.com'], false],
    ['ana@yahoo.com', ['yahoo.com'], ['yahoo.com'], false],
    ['abuse@proveedor.example', ['mail.proveedor.example'], ['mx.proveedor.example'], true],
    ['abuse@evil.example', ['evil.example'], ['proveedor.example'], false],
    ['abuse@proveedor.example', [], ['proveedor.example'], false],
  ])('%s signed by %j for %j: %s', (from, signedBy, expected, believed) => {
    expect(isFromLoop(from, signedBy, expected, (name) => getDomain(name))).toBe(believed);
  });
});

describe('what a message says of complaints', () => {
  const feedback = (address: string | null) => ({
    cfblAddress: address === null ? null : headerText(address, 'x', 300),
    cfblFeedbackId: headerText(SEED, 'x', 200),
    feedbackId: headerText('none:0123456789abcde', 'x', 200),
  });
  const fieldsOf = (input: Parameters<typeof composeInput>[0]) =>
    asText(compose(composeInput(input)).raw).match(/^(?:CFBL|Feedback)-.*$/gm);

  it('the address that its signature vouches for, and by what it is counted', () => {
    expect(fieldsOf({ feedback: feedback('fbl@bounce.example.com') })).toEqual([
      'Feedback-ID: none:0123456789abcde',
      'CFBL-Address: fbl@bounce.example.com; report=arf',
      `CFBL-Feedback-ID: ${SEED}`,
    ]);
  });
  it('no address without a host below the domain, and the Feedback-ID of the sender', () => {
    const headers = createCustomHeaders([['feedback-ID', 'mine:1:2:sender']]);
    expect(fieldsOf({ feedback: feedback(null) })).toEqual(['Feedback-ID: none:0123456789abcde']);
    expect(fieldsOf({ feedback: feedback(null), headers })).toBeNull();
    expect(asText(compose(composeInput({ headers, feedback: feedback(null) })).raw)).toMatch(
      /^feedback-ID: mine:1:2:sender\r$/m,
    );
  });
});
