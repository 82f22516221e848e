import { createPrivateKey, createPublicKey } from 'node:crypto';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { describe, expect, it } from 'vitest';
import { compose } from '../src/compose.ts';
import { createCustomHeaders } from '../src/custom-headers.ts';
import { createDkimSigner, dkimSignatures, prepareSigning } from '../src/dkim.ts';
import { type DkimAlgorithm, dkimPublicKey, dkimRecord, generateDkimKey } from '../src/dkim-keys.ts';
import { bodyText, subjectText } from '../src/header-text.ts';
import { parseMailbox } from '../src/mailbox.ts';
import { composeInput, SENT_AT_MS } from './support/factories.ts';

const rsaKey = await generateDkimKey('rsa-sha256');
const ed25519Key = await generateDkimKey('ed25519-sha256');
const rsa = signer('rsa-sha256', 'r1');
const ed25519 = signer('ed25519-sha256', 'e1');

function signer(algorithm: DkimAlgorithm, selector: string, domain = 'example.com') {
  const privateKey = algorithm === 'rsa-sha256' ? rsaKey : ed25519Key;
  return createDkimSigner({ domain, selector, algorithm, privateKey });
}

/** Answers from the records that our own signers publish. */
async function resolver(name: string): Promise<string[][]> {
  for (const known of [rsa, ed25519]) {
    if (name !== `${known.selector}._domainkey.example.com`) continue;
    const record = dkimRecord(known.algorithm, known.publicKey);
    return [record.match(/.{1,255}/g) ?? []];
  }
  throw Object.assign(new Error(`no such name ${name}`), { code: 'ENOTFOUND' });
}

async function verdicts(message: Uint8Array): Promise<string[]> {
  const { results } = await dkimVerify(Buffer.from(message), { resolver });
  // The types leave out the algorithm that the results carry.
  return (results as { algo?: string; status?: { result?: string } }[]).map(
    (result) => `${result.algo} ${result.status?.result}`,
  );
}

async function signed(raw: Uint8Array): Promise<Uint8Array> {
  return Buffer.concat([await dkimSignatures([rsa, ed25519], raw, SENT_AT_MS), raw]);
}

const MESSAGES = {
  plain: compose(composeInput()).raw,
  'without evidence': compose(composeInput({ evidence: null })).raw,
  'an empty body': compose(composeInput({ text: bodyText('', 'text') })).raw,
  'blank lines and spaces': compose(composeInput({ text: bodyText('  a  b\t c \n\n\n \n\n', 'text') })).raw,
  'folded headers': compose(
    composeInput({
      subject: subjectText('Ünïcödé und ein sehr langer Betreff '.repeat(6)),
      replyTo: [parseMailbox('"Acme, Inc." <help@example.com>')],
      html: bodyText('<p>hi</p>', 'html'),
      headers: createCustomHeaders([
        ['References', '<a@example.com> <b@example.com>'],
        ['List-Unsubscribe', `<https://example.com/u/${'x'.repeat(120)}>`],
        ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
      ]),
    }),
  ).raw,
};

describe('signatures that another implementation verifies', () => {
  it.each(Object.entries(MESSAGES))('%s', async (_, raw) => {
    expect(await verdicts(await signed(raw))).toEqual(['rsa-sha256 pass', 'ed25519-sha256 pass']);
  });

  it.each(Object.entries(MESSAGES))('%s, after two relays put headers in front', async (_, raw) => {
    const relayed = Buffer.concat([
      Buffer.from('Received: from a.example by b.example; Thu, 20 Nov 2025 09:41:00 +0000\r\n'),
      Buffer.from(
        'Received: from x.example\r\n\tby a.example; Thu, 20 Nov 2025 09:40:30 +0000\r\nX-Spam: no\r\n',
      ),
      await signed(raw),
    ]);
    expect(await verdicts(relayed)).toEqual(['rsa-sha256 pass', 'ed25519-sha256 pass']);
  });
});

describe('what a signature covers', () => {
  const added = [
    'From: evil@example.net',
    'To: x@example.net',
    'Cc: x@example.net',
    'Subject: other',
    'Reply-To: x@example.net',
    'Date: Thu, 20 Nov 2025 09:40:00 +0000',
    'Message-ID: <x@example.net>',
    'In-Reply-To: <x@example.net>',
    'References: <x@example.net>',
    'MIME-Version: 1.0',
    'Content-Type: text/html',
    'Content-Transfer-Encoding: 8bit',
    'Service-Evidence: v=1; id=x; log=y',
    'List-Unsubscribe: <https://example.net/u>',
    'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
    'Feedback-ID: x:y:z:evil',
    'CFBL-Address: fbl@example.net; report=arf',
    'CFBL-Feedback-ID: x',
  ];
  it.each(added)('adding "%s" breaks it', async (line) => {
    const forged = Buffer.concat([Buffer.from(`${line}\r\n`), await signed(MESSAGES.plain)]);
    expect(await verdicts(forged)).toEqual(['rsa-sha256 fail', 'ed25519-sha256 fail']);
  });

  it('a changed body breaks it', async () => {
    const message = await signed(MESSAGES.plain);
    const changed = Buffer.from(
      Buffer.from(message).toString('latin1').replace('Thank you', 'No thanks'),
      'latin1',
    );
    expect((await verdicts(changed)).every((verdict) => !verdict.endsWith('pass'))).toBe(true);
  });

  it.each(['List-Unsubscribe', 'List-Unsubscribe-Post'])('a second %s breaks it', async (name) => {
    const forged = Buffer.concat([
      Buffer.from(`${name}: <https://example.net/u>\r\n`),
      await signed(MESSAGES['folded headers']),
    ]);
    expect(await verdicts(forged)).toEqual(['rsa-sha256 fail', 'ed25519-sha256 fail']);
  });
});

describe('the field itself', () => {
  it('folds to 76 characters and ends no line in white space', async () => {
    for (const known of [
      rsa,
      ed25519,
      signer('rsa-sha256', 's'.repeat(63), `${'a'.repeat(60)}.${'b'.repeat(60)}.example`),
    ]) {
      const field = await known.sign(prepareSigning(MESSAGES['folded headers']), SENT_AT_MS);
      expect(field.endsWith('\r\n')).toBe(true);
      for (const line of field.split('\r\n')) {
        if (!line.includes(' d=')) expect(line.length).toBeLessThanOrEqual(76);
        expect(line).not.toMatch(/\s$/);
      }
    }
  });

  it('carries the seconds of the given time', async () => {
    expect(await rsa.sign(prepareSigning(MESSAGES.plain), SENT_AT_MS + 999)).toContain(
      `t=${SENT_AT_MS / 1000};`,
    );
  });
});

describe('keys', () => {
  it('publishes the record that DNS shall hold', () => {
    expect(dkimRecord('rsa-sha256', rsa.publicKey)).toMatch(/^v=DKIM1; k=rsa; p=MIIBIjAN[A-Za-z0-9+/=]+$/);
    expect(Buffer.from(ed25519.publicKey, 'base64')).toHaveLength(32);
    expect(dkimPublicKey(createPublicKey(rsaKey))).toBe(rsa.publicKey);
  });

  it('agrees with the example of RFC 8463 §A.2', () => {
    const der = Buffer.concat([
      Buffer.from('302e020100300506032b657004220420', 'hex'),
      Buffer.from('nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=', 'base64'),
    ]);
    const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    expect(dkimPublicKey(key)).toBe('11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=');
  });

  it('refuses a key of the other kind, and names that cannot stand in DNS', () => {
    const good = {
      domain: 'example.com',
      selector: 's1',
      algorithm: 'rsa-sha256',
      privateKey: rsaKey,
    } as const;
    expect(() => createDkimSigner({ ...good, privateKey: ed25519Key })).toThrow(TypeError);
    expect(() => createDkimSigner({ ...good, privateKey: createPublicKey(rsaKey) })).toThrow(TypeError);
    expect(() => createDkimSigner({ ...good, domain: 'example.com; s=x' })).toThrow(TypeError);
    expect(() => createDkimSigner({ ...good, selector: 'a b' })).toThrow(TypeError);
  });
});
