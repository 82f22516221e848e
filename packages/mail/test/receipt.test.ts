import { describe, expect, it } from 'vitest';
import { readReturnedMail } from '../src/report/read-report.ts';

const mdn = (
  fields: readonly string[],
  type = 'message/disposition-notification',
  header: readonly string[] = [],
  returned = ['Message-ID: <m1@sender.test>'],
) =>
  readReturnedMail(
    Buffer.from(
      [
        'From: ana@dest.test',
        ...header,
        'Content-Type: multipart/report; report-type=disposition-notification; boundary=b',
        '',
        '--b',
        '',
        'Was read.',
        '--b',
        `Content-Type: ${type}`,
        '',
        ...fields,
        '--b',
        'Content-Type: text/rfc822-headers',
        '',
        'Service-Evidence: v=1; id=0192f0c1-0000-7000-8000-000000000001',
        ...returned,
        '--b--',
        '',
      ].join('\r\n'),
    ),
  );

describe('a read receipt', () => {
  it.each([
    ['manual-action/MDN-sent-manually; displayed', 'displayed', 'manual-action/mdn-sent-manually'],
    ['automatic-action/MDN-sent-automatically;deleted', 'deleted', 'automatic-action/mdn-sent-automatically'],
    ['manual-action/MDN-sent-manually ;  displayed/error', 'displayed', 'manual-action/mdn-sent-manually'],
    [
      'Automatic-Action/MDN-Sent-Automatically; PROCESSED',
      'processed',
      'automatic-action/mdn-sent-automatically',
    ],
  ])('says what was done: %s', (value, disposition, mode) => {
    const read = mdn([
      ...['Reporting-UA: x; y', 'Original-Recipient: rfc822;ana@dest.test'],
      ...['Final-Recipient: RFC822; <Ana.Ruiz@dest.test>', 'Original-Message-ID: <m1@sender.test>'],
      `Disposition: ${value}`,
    ]);
    expect(read).toMatchObject({
      kind: 'receipt',
      receipt: {
        ...{ disposition, mode },
        about: { messageId: '<m1@sender.test>', recipients: ['Ana.Ruiz@dest.test', 'ana@dest.test'] },
      },
    });
  });

  it.each([
    ['displayed', false],
    ['displayed/error', true],
    ['displayed / warning, ERROR', true],
    ['displayed/errors', false],
  ])('says whether an error prevented it: %s', (done, isError) => {
    const read = mdn([
      'Final-Recipient: rfc822; ana@dest.test',
      `Disposition: manual-action/MDN-sent-manually; ${done}`,
    ]);
    expect(read).toMatchObject({ kind: 'receipt', receipt: { disposition: 'displayed', isError } });
  });

  it('of RFC 6533 is one, and gives back what it quotes', () => {
    const read = mdn(
      ['Disposition: manual-action/MDN-sent-manually; displayed'],
      'message/global-disposition-notification',
    );
    if (read.kind !== 'receipt') throw new Error(read.kind);
    expect(read.receipt.about.headers?.get('service-evidence')).toContain('0192f0c1');
  });

  it.each<[string, string[], string[]]>([
    ['in the message that it returns', [], ['Message-ID: <m1@sender.test>']],
    ['in In-Reply-To', ['In-Reply-To: <m1@sender.test>', 'References: <m0@sender.test>'], []],
    ['in References', ['References: <m1@sender.test>'], []],
  ])('without Original-Message-ID names its message %s', (_, header, returned) => {
    const field = 'Disposition: manual-action/MDN-sent-manually; displayed';
    const read = mdn([field], 'message/disposition-notification', header, returned);
    expect(read).toMatchObject({ receipt: { about: { messageId: '<m1@sender.test>' } } });
  });

  it.each(['', 'Disposition: displayed', 'Disposition: ; ; ;'])(
    'is none without a disposition: %s',
    (field) => {
      expect(mdn([field])).toEqual({ kind: 'auto-reply', sign: 'disposition' });
    },
  );
});
