/**
 * Messages and outcomes that the vectors are about, and what is made of them: layers, manifests, openings.
 */
import { toHex, utf8 } from '@acuse/evidence/bytes';
import { deriveSalt } from '@acuse/evidence/commitment';
import { buildDeliveryManifest, type DeliveryInput } from '@acuse/evidence/delivery';
import type { DeliveryFacts, MailReportFacts } from '@acuse/evidence/delivery-facts';
import { jcs } from '@acuse/evidence/jcs';
import { L1_HEADERS, messageLayers } from '@acuse/evidence/layers';
import { draftMessageManifest, finishManifest, type MessageInput } from '@acuse/evidence/manifest';
import { formatOpenings, LABEL, openMessage } from '@acuse/evidence/openings';
import { relaxedBody, relaxedHeaders, splitMessage } from '@acuse/evidence/relaxed';
import { ORIGIN, sha256 } from './authority.ts';

export const MESSAGE_ID = '0197b1a0-0000-7000-8000-000000000001';
const TENANT_ID = '0197b1a0-0000-7000-8000-0000000000aa';
const FIRST_FIELD = `Service-Evidence: v=1; id=${MESSAGE_ID}; log=${ORIGIN}`;

const eml = (...lines: readonly string[]): Uint8Array => utf8(lines.join('\r\n'));

/** A text and one attachment: what most vectors are about. */
export const LETTER = eml(
  FIRST_FIELD,
  'From: Ana <ana@sandbox.test>',
  'To: luis@receiver.example',
  'Subject: =?utf-8?q?Aviso_de_renovaci=C3=B3n?=',
  'Date: Wed, 04 Mar 2026 05:06:07 +0000',
  `Message-ID: <${MESSAGE_ID}@sandbox.test>`,
  'X-Trace: 1',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=b',
  '',
  '--b',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'Estimado Luis:=20',
  '',
  'adjunto va el contrato de 1=E2=82=AC al a=C3=B1o.',
  'Ana',
  '--b',
  'Content-Type: application/pdf; name=contrato.pdf',
  'Content-Transfer-Encoding: base64',
  "Content-Disposition: attachment; filename*=utf-8''contrato%20%E2%82%AC.pdf",
  '',
  'JVBERi0xLjQKJcOkw7zDtsOfCg==',
  '--b--',
  '',
);

/** Messages that differ in what each layer has to get right. */
const MESSAGES: Readonly<Record<string, Uint8Array>> = {
  'a text and an attachment': LETTER,
  'one part, without a Content-Type': eml(
    FIRST_FIELD,
    'From: ana@sandbox.test',
    'To: luis@receiver.example',
    'Subject: Hola',
    '',
    'Hola',
    '',
  ),
  'a body of empty lines alone': eml(FIRST_FIELD, 'From: ana@sandbox.test', 'Subject: x', '', '', '', ''),
  'no body at all': eml(FIRST_FIELD, 'From: ana@sandbox.test', ''),
  'white space in every place': eml(
    FIRST_FIELD,
    'FROM \t:  Ana \t <ana@sandbox.test>  ',
    'subject:\t one',
    '\t two  three ',
    'To: luis@receiver.example',
    '',
    'a \t b  ',
    ' c\t',
    '',
    '  ',
    '',
  ),
  'a field that stands twice': eml(
    FIRST_FIELD,
    'Cc: one@receiver.example',
    'From: ana@sandbox.test',
    'Cc: two@receiver.example',
    '',
    'x',
    '',
  ),
  'parts inside parts, an attached message': eml(
    FIRST_FIELD,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="outer boundary"',
    '',
    'preamble',
    '--outer boundary',
    'Content-Type: multipart/alternative; boundary=inner',
    '',
    '--inner',
    'Content-Type: text/plain; charset=iso-8859-1',
    'Content-Transfer-Encoding: 8bit',
    '',
    'plain ',
    '--inner',
    'Content-Type: text/html',
    '',
    '<p>html</p>',
    '--inner--',
    '--outer boundary  ',
    'Content-Type: message/rfc822',
    '',
    'From: other@receiver.example',
    '',
    'attached',
    '--outer boundary',
    'Content-Type: text/csv; name="=?utf-8?q?a=C3=B1o=2Ecsv?="',
    '',
    'a,b \r\n1,2',
    '--outer boundary--',
    'epilogue',
    '',
  ),
};

/** The input of the vectors' main manifest. */
export function letterInput(change: Partial<MessageInput> = {}): MessageInput {
  return {
    log: ORIGIN,
    messageId: MESSAGE_ID,
    tenantId: TENANT_ID,
    acceptedAt: new Date('2026-03-04T05:06:07.089Z'),
    submission: utf8(
      '{"from":"ana@sandbox.test","to":"luis@receiver.example","subject":"Aviso de renovación"}',
    ),
    raw: LETTER,
    mailFrom: 'b+token@bounce.sandbox.test',
    rcptTo: 'luis@receiver.example',
    dkim: [
      {
        algorithm: 'ed25519-sha256',
        domain: 'sandbox.test',
        public_key: '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
        selector: 's1',
      },
    ],
    secret: sha256(utf8('secret of the message')),
    ...change,
  };
}

export const TENANT_SEQUENCE = 17n;

export function sealLetter(input: MessageInput = letterInput()) {
  const made = finishManifest(draftMessageManifest(input, sha256), TENANT_SEQUENCE, sha256);
  return { ...made, openings: openMessage(toHex(made.canonicalHash), input, input.secret, sha256) };
}

const FACTS = {
  ip: '192.0.2.25',
  mx: 'mx.receiver.example',
  reply: { code: 250, enhanced: '2.0.0', text: 'Ok: queued as 4XyZ' },
  reported_by_mail: null,
  tls: { cipher: 'TLS_AES_256_GCM_SHA384', peer_certificate_sha256: 'ab'.repeat(32), version: 'TLSv1.3' },
} as const;

/** A mail to the return path, and who delivered it. */
const REPORTED: MailReportFacts = {
  claims: {
    feedback_type: null,
    final_recipient: 'ana@receiver.example',
    original_recipient: null,
    remote_mta: 'inner.receiver.example',
    reply: { code: 550, enhanced: '5.1.1', text: 'buzón inexistente' },
  },
  dkim: { domains: ['receiver.example'], result: 'pass' },
  mail_from: '',
  peer: {
    helo: 'out.receiver.example',
    ip: '192.0.2.26',
    tls: { cipher: 'TLS_AES_256_GCM_SHA384', version: 'TLSv1.3' },
  },
  sha256: 'cd'.repeat(32),
  spf: { domain: 'out.receiver.example', result: 'pass' },
  vouched_by: 'network',
};

/** Claimed by somebody who had the address: nothing ties it to a server that had the message. */
const COMPLAINT: MailReportFacts = {
  ...REPORTED,
  claims: {
    feedback_type: 'abuse',
    final_recipient: null,
    original_recipient: null,
    remote_mta: null,
    reply: null,
  },
  dkim: { domains: [], result: 'none' },
  mail_from: 'fbl@provider.example',
  peer: { helo: 'provider.example', ip: '198.51.100.9', tls: null },
  spf: { domain: 'provider.example', result: 'not_checked' },
  vouched_by: null,
};

const byMail = (report: MailReportFacts): DeliveryFacts => ({
  ip: null,
  mx: null,
  reply: null,
  reported_by_mail: report,
  tls: null,
});

/** The outcomes of the letter: taken by its receiver, reported undeliverable later, and complained about. */
export function outcomeInputs(
  messageHash: Uint8Array,
): (Omit<DeliveryInput, 'previous'> & { previous?: Uint8Array })[] {
  const common = { log: ORIGIN, messageId: MESSAGE_ID, messageCanonicalHash: messageHash };
  return [
    {
      ...common,
      kind: 'sent',
      source: 'session',
      occurredAt: new Date('2026-03-04T05:06:08.000Z'),
      attempt: 1,
      facts: FACTS,
      transcript: utf8('[{"line":"220 mx.receiver.example","t_ms":0,"who":"S"}]'),
      dsn: utf8('Content-Type: multipart/report\r\n\r\nrelayed\r\n'),
      secret: sha256(utf8('secret of the first outcome')),
    },
    {
      ...common,
      kind: 'bounced',
      source: 'reported_by_mail',
      occurredAt: new Date('2026-03-04T05:16:08.250Z'),
      attempt: 1,
      facts: byMail(REPORTED),
      transcript: null,
      dsn: utf8('Content-Type: multipart/report\r\n\r\nfailed\r\n'),
      secret: sha256(utf8('secret of the second outcome')),
    },
    {
      ...common,
      kind: 'complained',
      source: 'reported_by_mail',
      occurredAt: new Date('2026-03-05T00:00:00.000Z'),
      attempt: 1,
      facts: byMail(COMPLAINT),
      transcript: null,
      dsn: null,
      secret: sha256(utf8('secret of the third outcome')),
    },
  ];
}

/** Each chained to the one before. */
export function sealOutcomes(messageHash: Uint8Array) {
  let previous = messageHash;
  return outcomeInputs(messageHash).map((content) => {
    const input: DeliveryInput = { ...content, previous };
    const made = buildDeliveryManifest(input, sha256);
    previous = made.canonicalHash;
    return { ...made, input };
  });
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8');

/** messages.json: each message and its layers. */
export function messageVectors(): object {
  return Object.entries(MESSAGES).map(([name, raw]) => {
    const layers = messageLayers(raw, sha256);
    const { headers, body } = splitMessage(raw);
    return {
      name,
      message: base64(raw),
      relaxed_header: text(relaxedHeaders(headers, L1_HEADERS)),
      relaxed_body: text(relaxedBody(body)),
      raw_sha256: toHex(layers.raw),
      header_sha256: toHex(layers.header),
      body_sha256: toHex(layers.body),
      parts: layers.parts,
    };
  });
}

/** manifests.json: all that goes into the leaves of one message, and what comes out. */
export function manifestVectors(): object {
  const input = letterInput();
  const { manifestBytes, canonicalHash, openings } = sealLetter(input);
  const labels = [
    LABEL.mailFrom,
    LABEL.rcptTo,
    LABEL.raw,
    LABEL.header,
    LABEL.body,
    LABEL.part(0),
    LABEL.part(1),
    LABEL.submission,
  ];
  return {
    message: {
      input: {
        log: input.log,
        message_id: input.messageId,
        tenant_id: input.tenantId,
        tenant_sequence: String(TENANT_SEQUENCE),
        accepted_at: input.acceptedAt.toISOString(),
        submission: base64(input.submission),
        message: base64(input.raw),
        mail_from: input.mailFrom,
        rcpt_to: input.rcptTo,
        dkim: input.dkim,
        secret: toHex(input.secret),
      },
      salts: Object.fromEntries(
        labels.map((label) => [label, toHex(deriveSalt(input.secret, label, sha256))]),
      ),
      manifest: text(manifestBytes),
      canonical_hash: toHex(canonicalHash),
      openings: text(formatOpenings(openings)),
    },
    outcomes: sealOutcomes(canonicalHash).map(({ input: outcome, ...made }) => ({
      input: {
        log: outcome.log,
        message_id: outcome.messageId,
        message_canonical_hash: toHex(outcome.messageCanonicalHash),
        previous: toHex(outcome.previous),
        kind: outcome.kind,
        source: outcome.source,
        occurred_at: outcome.occurredAt.toISOString(),
        attempt: outcome.attempt,
        facts: outcome.facts,
        transcript: outcome.transcript && base64(outcome.transcript),
        dsn: outcome.dsn && base64(outcome.dsn),
        secret: toHex(outcome.secret),
      },
      manifest: text(made.manifestBytes),
      canonical_hash: toHex(made.canonicalHash),
      openings: text(made.openings),
    })),
  };
}

/** canonical.json: RFC 8785, as far as these documents need it, and texts that are not canonical JSON. */
export function canonicalVectors(): object {
  const values: [string, unknown][] = [
    ['keys in order of UTF-16', { '€': 1, '\r': 2, דּ: 3, 1: 4, '😀': 5, ö: 6, '': 7 }],
    ['only what must be escaped is', { text: 'é "q" \\ / \b\f\n\r\t\u000b\u001f \u007f\u2028' }],
    ['nested', { b: [true, null, { d: [], c: {} }], a: -1 }],
    ['whole numbers', [0, -1, 9007199254740991, 1e21]],
  ];
  return {
    canonical: values.map(([name, value]) => {
      const canonical = jcs(value);
      return { name, value, canonical, sha256: toHex(sha256(utf8(canonical))) };
    }),
    refused: [
      ['white space', '{"a": 1}'],
      ['a newline at the end', '{"a":1}\n'],
      ['a byte order mark', '\ufeff{"a":1}'],
      ['keys out of order', '{"b":1,"a":2}'],
      ['a key twice', '{"a":1,"a":1}'],
      ['an escape that is not needed', '{"a":"\\u0041"}'],
      ['a solidus escaped', '{"a":"\\/"}'],
      ['a number in another spelling', '{"a":1.0}'],
      ['a minus before zero', '{"a":-0}'],
      ['a surrogate alone', '{"a":"\\ud800"}'],
      ['cut short', '{"a":1'],
      ['nothing', ''],
      ['too deep', `${'['.repeat(40)}${']'.repeat(40)}`],
    ].map(([name, refused]) => ({ name, text: refused })),
  };
}
