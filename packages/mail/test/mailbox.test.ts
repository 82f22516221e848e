import { readEncodedWords } from '@acuse/evidence/encoded-words';
import fc from '@acuse/testkit/properties';
import { describe, expect, it } from 'vitest';
import { mailboxHeader } from '../src/header-write.ts';
import { compareKey, MailboxError, parseAddress, parseMailbox, parseMailboxField } from '../src/mailbox.ts';

function reasonOf(parse: () => unknown): string {
  try {
    parse();
  } catch (error) {
    if (error instanceof MailboxError) return error.reason;
    throw error;
  }
  return 'accepted';
}

describe('accepted mailboxes', () => {
  const local64 = 'l'.repeat(64);
  const label63 = 'd'.repeat(63);
  const table: [source: string, displayName: string | undefined, address: string][] = [
    ['ana@example.org', undefined, 'ana@example.org'],
    ['Ana@EXAMPLE.Org', undefined, 'Ana@example.org'],
    ['<ana@example.org>', undefined, 'ana@example.org'],
    ['Ana Gómez <ana@example.org>', 'Ana Gómez', 'ana@example.org'],
    ['  Ana   Gómez   <ana@example.org>  ', 'Ana Gómez', 'ana@example.org'],
    ['Acme, Inc. <billing@example.com>', 'Acme, Inc.', 'billing@example.com'],
    ["O'Neil & Sons <x@example.com>", "O'Neil & Sons", 'x@example.com'],
    ['"Acme, \\"the\\" Inc. <x>" <billing@example.com>', 'Acme, "the" Inc. <x>', 'billing@example.com'],
    ['"" <a@example.com>', undefined, 'a@example.com'],
    ['"a@example.com" <a@example.com>', undefined, 'a@example.com'],
    ['👩‍💻 Dev <dev@example.com>', '👩‍💻 Dev', 'dev@example.com'],
    ["a.b+c!#$%&'*/=?^_`{|}~-@example.com", undefined, "a.b+c!#$%&'*/=?^_`{|}~-@example.com"],
    ['"john smith"@example.com', undefined, '"john smith"@example.com'],
    ['"john"@example.com', undefined, 'john@example.com'],
    ['"a>b <c"@example.com', undefined, '"a>b <c"@example.com'],
    ['"a\\"b"@example.com', undefined, '"a\\"b"@example.com'],
    ['Name <"john..x"@example.com>', 'Name', '"john..x"@example.com'],
    ['ana@münchen.example', undefined, 'ana@xn--mnchen-3ya.example'],
    ['ana@xn--mnchen-3ya.example', undefined, 'ana@xn--mnchen-3ya.example'],
    ['ana@ｅｘａｍｐｌｅ。com', undefined, 'ana@example.com'],
    ['ana@faß.example', undefined, 'ana@xn--fa-hia.example'],
    ['josé@example.com', undefined, 'josé@example.com'],
    ['jose\u0301@example.com', undefined, 'josé@example.com'],
    [`${local64}@example.com`, undefined, `${local64}@example.com`],
    [`a@${label63}.example`, undefined, `a@${label63}.example`],
    ['a@1.2.3.example', undefined, 'a@1.2.3.example'],
    ['a@ab--cd.example', undefined, 'a@ab--cd.example'],
    ['ana.@docomo.example', undefined, '"ana."@docomo.example'],
    ['ana..x@au.example', undefined, '"ana..x"@au.example'],
    ['a..@au.example', undefined, '"a.."@au.example'],
    ['Ana <ana.@docomo.example>', 'Ana', '"ana."@docomo.example'],
    ['ceo@bank.example <a@example.com>', 'ceo@bank.example', 'a@example.com'],
    ['"Ana (ana@example.org)" <ana@example.org>', 'Ana (ana@example.org)', 'ana@example.org'],
    ['"ceo＠bank.example" <a@example.com>', 'ceo＠bank.example', 'a@example.com'],
    // Encoded before it was given as text.
    ['=?UTF-8?Q?Ana_G=C3=B3mez?= <a@example.com>', 'Ana Gómez', 'a@example.com'],
    ['"=?utf-8?B?QW5hIEfDs21leg==?=" <a@example.com>', 'Ana Gómez', 'a@example.com'],
    ['=?UTF-8?Q?Ana_G=C3?= =?UTF-8?Q?=B3mez?= <a@example.com>', 'Ana Gómez', 'a@example.com'],
    ['=?iso-8859-1?q?Ana_G=F3mez?= <a@example.com>', 'Ana Gómez', 'a@example.com'],
    // A part of a name, and what no charset has, may be meant so.
    ['RFC =?UTF-8?Q?Ana?= <a@example.com>', 'RFC =?UTF-8?Q?Ana?=', 'a@example.com'],
    ['=?UTF-8?Q?=FF?= <a@example.com>', '=?UTF-8?Q?=FF?=', 'a@example.com'],
    ['=?no-such?Q?G=F3mez?= <a@example.com>', '=?no-such?Q?G=F3mez?=', 'a@example.com'],
    ['=?UTF-8?Q?=20?= <a@example.com>', undefined, 'a@example.com'],
  ];
  it.each(table)('%s', (source, displayName, address) => {
    const mailbox = parseMailbox(source);
    expect(mailbox.displayName).toBe(displayName);
    expect(mailbox.address).toBe(address);
    expect(mailbox.address.endsWith(`@${mailbox.domain}`)).toBe(true);
    expect(parseAddress(mailbox.address).address).toBe(address);
  });

  it('needs SMTPUTF8 for the local part only', () => {
    expect(parseMailbox('josé@example.com').needsSmtputf8).toBe(true);
    expect(parseMailbox('José <jose@münchen.example>').needsSmtputf8).toBe(false);
  });
});

describe('names in encoded-words', () => {
  it.each(['=0D=0ABcc:_x@y.example', '=00', 'a=E2=80=AEb'])('are checked as text: %s', (payload) => {
    expect(() => parseMailbox(`=?UTF-8?Q?${payload}?= <a@example.com>`)).toThrow(MailboxError);
  });
});

describe('refused mailboxes', () => {
  const table: [source: string, reason: string][] = [
    ['', 'empty'],
    ['   ', 'empty'],
    ['ana', 'syntax'],
    ['@example.com', 'route'],
    ['ana@', 'domain'],
    ['a b@example.com', 'syntax'],
    ['a@b@example.com', 'syntax'],
    ['.a@example.com', 'local_part'],
    ['""@example.com', 'local_part'],
    ['"a@evil.example"@example.com', 'local_part'],
    ['"a"b@example.com', 'syntax'],
    ['"a@example.com', 'syntax'],
    ['a@example.com>', 'syntax'],
    ['<a@example.com', 'syntax'],
    ['Name <a@example.com> x', 'syntax'],
    ['Name <<a@example.com>>', 'syntax'],
    ['a@example.com, b@example.com', 'list'],
    ['a@example.com; b@example.com', 'list'],
    ['a@example.com b@example.com', 'syntax'],
    ['A <a@example.com>, B <b@example.com>', 'list'],
    ['Team: a@example.com;', 'group'],
    ['Team: A <a@example.com>;', 'group'],
    ['undisclosed-recipients:;', 'group'],
    ['a@example.com (Ana', 'comment'],
    ['a@example.com Ana)', 'comment'],
    ['a(Ana)@example.com', 'comment'],
    ['(Ana) a@example.com', 'comment'],
    ['Ana (x <a@example.com>', 'comment'],
    ['<@relay.example:a@example.com>', 'route'],
    ['<@a.example,@b.example:a@example.com>', 'route'],
    ['a@[192.0.2.1]', 'address_literal'],
    ['a@[IPv6:2001:db8::1]', 'address_literal'],
    ['a@192.0.2.1', 'domain'],
    ['a@①.2.3.4', 'domain'],
    ['a@0x7f.1', 'domain'],
    ['a@localhost', 'domain'],
    ['a@example.com.', 'domain'],
    ['a@.example.com', 'domain'],
    ['a@example..com', 'domain'],
    ['a@-example.com', 'domain'],
    ['a@example-.com', 'domain'],
    ['a@exa_mple.com', 'domain'],
    ['a@ex%41mple.com', 'domain'],
    ['a@example.com/x', 'domain'],
    ['a@example.com:25', 'group'],
    ['a@℀.com', 'domain'],
    ['a@xn--a.com', 'domain'],
    ['a@xn--example-.com', 'domain'],
    ['a@exa\u00admple.com', 'domain'],
    ['a@exa\u200bmple.com', 'domain'],
    ['a@\u202eexample.com', 'domain'],
    [`a@${'d'.repeat(64)}.example`, 'domain'],
    [`a@${'ü'.repeat(63)}.example`, 'domain'],
    [`${'l'.repeat(65)}@example.com`, 'too_long'],
    [`${'é'.repeat(33)}@example.com`, 'too_long'],
    [`${'l'.repeat(64)}@${'d'.repeat(60)}.${'d'.repeat(60)}.${'d'.repeat(60)}.example`, 'too_long'],
    [`a@${'d.'.repeat(200)}example`, 'domain'],
    [`${'N'.repeat(257)} <a@example.com>`, 'too_long'],
    ['x'.repeat(3000), 'too_long'],
    ['=?utf-8?q?evil=40evil.example=2C?=@example.com', 'encoded_word'],
    ['a\u200b@example.com', 'invisible'],
    ['a\u00a0b@example.com', 'invisible'],
    ['\u202eb@example.com', 'invisible'],
    ['a＠example.com', 'syntax'],
    ['Ana\u202e <a@example.com>', 'invisible'],
    ['A\u200bna <a@example.com>', 'invisible'],
    ['a@example.com\n', 'control'],
    ['a@example.com\r\nBcc: b@example.com', 'control'],
    ['Ana\r\nBcc: b@example.com <a@example.com>', 'control'],
    ['Ana\t<a@example.com>', 'control'],
    ['a\0@example.com', 'control'],
    ['Ana\u0085 <a@example.com>', 'control'],
    ['Ana\u2028 <a@example.com>', 'control'],
    ['Ana \ud800 <a@example.com>', 'control'],
  ];
  it.each(table)('%j is %s', (source, reason) => {
    expect(reasonOf(() => parseMailbox(source))).toBe(reason);
  });

  it('names the field', () => {
    expect(() => parseMailbox('x', 'from')).toThrow(/^from: /);
  });

  it('takes a name for no address', () => {
    expect(parseAddress('ana@example.org').address).toBe('ana@example.org');
    expect(reasonOf(() => parseAddress('Ana <ana@example.org>'))).toBe('syntax');
    expect(reasonOf(() => parseAddress('<ana@example.org>'))).toBe('syntax');
  });
});

describe('header fields', () => {
  const read = (value: string) => parseMailboxField(value, 'from', readEncodedWords);
  it.each([
    ['=?utf-8?q?Ana_G=C3=B3mez?= <ana@example.org>', 'Ana Gómez'],
    ['=?utf-8?q?Ana?= =?utf-8?q?_G=C3=B3mez?= <ana@example.org>', 'Ana Gómez'],
    ['Ana "the" Gomez <ana@example.org>', 'Ana the Gomez'],
    ['"=?utf-8?q?Jos=C3=A9?=" <ana@example.org>', 'José'],
    ['"=?utf-8?B?w7HDs8M=?= =?utf-8?B?scOz?=" <ana@example.org>', 'ñóñó'],
    ['=?utf-8?B?w7HDs8M=?= =?UTF-8?Q?=B1=C3=B3?= <ana@example.org>', 'ñóñó'],
    ['=?utf-8?q?ceo=40bank.example?= <ana@example.org>', 'ceo@bank.example'],
    ['\tAna\t<ana@example.org>', 'Ana'],
  ])('%s', (value, displayName) => {
    expect(read(value).displayName).toBe(displayName);
  });

  it.each([
    ['Ana, <ana@example.org>', 'list'],
    ['=?utf-8?q?a=0D=0ABcc=3A_x?= <ana@example.org>', 'control'],
    ['=?utf-8?q?ana=40example.org?=', 'syntax'],
    ['=?utf-8?q?a?= <=?utf-8?q?ana=40example.org?=>', 'syntax'],
  ])('%s is %s', (value, reason) => {
    expect(reasonOf(() => read(value))).toBe(reason);
  });
});

describe('compareKey', () => {
  it.each([
    ['Ana.Gomez@Example.ORG', 'ana.gomez@example.org'],
    ['JOSÉ@MÜNCHEN.example', 'josé@xn--mnchen-3ya.example'],
    ['jose\u0301@münchen.example', 'josé@xn--mnchen-3ya.example'],
    ['"Ana"@example.org', 'ana@example.org'],
    ['ΟΔΟΣ@example.org', compareKey(parseMailbox('οδοσ@example.org'))],
  ])('%s', (source, key) => {
    expect(compareKey(parseMailbox(source))).toBe(key);
  });
});

it('fails with its own error only, and what it accepts reads back from a header as the same', () => {
  const odd = fc.constantFrom(
    '@',
    '<',
    '>',
    '"',
    '\\',
    ' ',
    '.',
    ',',
    ':',
    ';',
    '(',
    ')',
    '[',
    '=?utf-8?q?x?=',
    'é',
    '\u202e',
    'xn--',
    '\r\n',
    'a@b.example',
  );
  const text = fc.array(
    fc.oneof(odd, fc.string({ unit: 'binary', maxLength: 4 }), fc.string({ maxLength: 6 })),
    { maxLength: 9 },
  );
  const near = fc
    .tuple(text, text)
    .map(([name, end]) => `${name.join('')} <a@b.example>${end.length > 6 ? end.join('') : ''}`);
  fc.assert(
    fc.property(
      fc.oneof(
        text.map((parts) => parts.join('')),
        near,
      ),
      (source) => {
        let mailbox: ReturnType<typeof parseMailbox>;
        try {
          mailbox = parseMailbox(source);
        } catch (error) {
          expect(error).toBeInstanceOf(MailboxError);
          return;
        }
        const header = mailboxHeader('From', mailbox);
        const value = header.slice('From:'.length).replaceAll('\r\n', '');
        expect(parseMailboxField(value, 'from', readEncodedWords)).toEqual(mailbox);
        expect(parseAddress(mailbox.address).address).toBe(mailbox.address);
        for (const line of header.split('\r\n')) expect(line).not.toMatch(/[\r\n]|\s$/);
      },
    ),
    { numRuns: 2000 },
  );
});
