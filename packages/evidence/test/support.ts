import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ed25519 } from '@noble/curves/ed25519.js';
import { expect } from 'vitest';
import type { Sha256 } from '../src/bytes.ts';
import type { DeliveryInput } from '../src/delivery.ts';
import type { DeliveryFacts, MailReportFacts } from '../src/delivery-facts.ts';
import { EvidenceError } from '../src/errors.ts';
import type { MessageInput } from '../src/manifest.ts';
import type { Signer } from '../src/note.ts';

/**
 * In one call and by way of a string, which is what costs Node least: the tests hash tens of millions of
 * times.
 */
export const sha256: Sha256 = (data) => {
  const characters = hash('sha256', data, 'binary');
  const digest = new Uint8Array(32);
  for (let i = 0; i < digest.length; i++) digest[i] = characters.charCodeAt(i);
  return digest;
};

/** A key that a test can make again from its name alone. */
export function signerFor(name: string, seed = name): Signer {
  const secretKey = sha256(Buffer.from(seed));
  return {
    name,
    publicKey: ed25519.getPublicKey(secretKey),
    sign: (message) => ed25519.sign(message, secretKey),
  };
}

/** Where the corpora lie, or undefined: then the tests over them are skipped, and say so. */
export function corpus(name: string): string | undefined {
  const root = process.env['ACUSE_CORPORA'] ?? resolve(import.meta.dirname, '../../../../shared/corpora');
  const folder = resolve(root, name);
  return existsSync(folder) ? folder : undefined;
}

export function expectRefusal(run: () => unknown, check: string, detail: RegExp = /./): void {
  let thrown: unknown;
  try {
    run();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(EvidenceError);
  const error = thrown as EvidenceError;
  expect([error.check, error.detail]).toEqual([check, expect.stringMatching(detail)]);
}

/** A message with a text and one attachment, and all that its manifest needs. */
export function sampleMessage(): MessageInput {
  const raw = [
    'Service-Evidence: v=1; id=0197b1a0-0000-7000-8000-000000000001; log=log.example/acuse',
    'From: Ana <ana@sandbox.test>',
    'To: luis@receiver.example',
    'Subject: Aviso',
    'X-Trace: 1',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'Cordial=20=C3=B1',
    'Ana.',
    '--b',
    'Content-Type: application/pdf; name=contrato.pdf',
    'Content-Transfer-Encoding: base64',
    '',
    'AAEC',
    '--b--',
    '',
  ].join('\r\n');
  return {
    log: 'log.example/acuse',
    messageId: '0197b1a0-0000-7000-8000-000000000001',
    tenantId: '0197b1a0-0000-7000-8000-0000000000aa',
    acceptedAt: new Date('2026-03-04T05:06:07.089Z'),
    submission: Buffer.from('{"from":"ana@sandbox.test","to":"luis@receiver.example"}'),
    raw: new Uint8Array(Buffer.from(raw)),
    mailFrom: 'b+token@bounce.sandbox.test',
    rcptTo: 'luis@receiver.example',
    dkim: [{ algorithm: 'ed25519-sha256', domain: 'sandbox.test', public_key: 'AAAA', selector: 's1' }],
    secret: sha256(Buffer.from('secret')),
  };
}

/** The outcome of that message: taken by its receiver. */
export function sampleDelivery(messageCanonicalHash: Uint8Array): DeliveryInput {
  return {
    log: 'log.example/acuse',
    messageId: '0197b1a0-0000-7000-8000-000000000001',
    messageCanonicalHash,
    previous: messageCanonicalHash,
    kind: 'sent',
    source: 'session',
    occurredAt: new Date('2026-03-04T05:06:08.000Z'),
    attempt: 1,
    facts: {
      ip: '192.0.2.25',
      mx: 'mx.receiver.example',
      reply: { code: 250, enhanced: '2.0.0', text: 'Ok: queued as 4XyZ' },
      reported_by_mail: null,
      tls: { cipher: 'TLS_AES_256_GCM_SHA384', peer_certificate_sha256: null, version: 'TLSv1.3' },
    },
    transcript: Buffer.from('[{"line":"220 mx","t_ms":0,"who":"S"}]'),
    dsn: Buffer.from('Content-Type: multipart/report\r\n\r\n'),
    secret: sha256(Buffer.from('delivery secret')),
  };
}

/** A late bounce of that message, as a mail reported it. */
export function sampleMailReport(): DeliveryFacts {
  const reported: MailReportFacts = {
    claims: {
      feedback_type: null,
      final_recipient: 'ana@receiver.example',
      original_recipient: null,
      remote_mta: 'inner.receiver.example',
      reply: { code: 550, enhanced: '5.1.1', text: 'no such user' },
    },
    dkim: { domains: [], result: 'none' },
    mail_from: '',
    peer: { helo: 'out.receiver.example', ip: '192.0.2.26', tls: null },
    sha256: 'cd'.repeat(32),
    spf: { domain: 'out.receiver.example', result: 'pass' },
    vouched_by: 'network',
  };
  return { ip: null, mx: null, reply: null, reported_by_mail: reported, tls: null };
}
