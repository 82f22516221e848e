import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LARGE_BYTES } from '../../../src/messages/large-bodies.ts';
import { newKey } from '../../support/service.ts';
import { idIn, mail, openSubmissionWorld, type SubmissionWorld, sendRaw } from './harness.ts';

/** Whole messages that ask for an acknowledgement, over HTTP and SMTP. */

let world: SubmissionWorld;
beforeAll(async () => {
  world = await openSubmissionWorld();
});
afterAll(() => world.stop());

const ASKS = 'X-Acuse-Acknowledgement: request';
const PLACE = 'Confirm: {{acknowledgement_url}} or {{ acknowledgement_mail }}';
const URL = String.raw`http://[^/\s"]+/a/[a-z2-7]{26}`;
const ADDRESS = String.raw`ack\+[0-9a-f]{32}-[a-z2-7]{16}@bounce\.sandbox\.test`;

const post = (body: string, key = newKey()) =>
  world.service.call('POST', '/v1/messages', {
    body,
    headers: { 'content-type': 'message/rfc822', 'idempotency-key': key },
  });

/** The sent text, its soft line breaks joined. */
async function outgoing(id: string): Promise<string> {
  const { raw } = await world.service.call('GET', `/v1/messages/${id}/raw`);
  return raw.toString('latin1').replaceAll('=\r\n', '');
}

const messageOf = async (id: string) => (await world.service.call('GET', `/v1/messages/${id}`)).body;

describe('a whole message that asks', () => {
  test('has the link and the address in their places, for each recipient others, and no such header', async () => {
    const { status, body } = await post(
      mail({ to: 'one@sandbox.test, two@sandbox.test', headers: [ASKS, 'X-Order: 17'], body: PLACE }),
    );
    expect([status, body.warnings ?? []]).toEqual([201, []]);
    expect(body.acknowledgement).toMatchObject({ status: 'requested' });
    const all = await Promise.all([body.id, body.copies[0].id].map(outgoing));
    const links = all.map((raw) => new RegExp(`Confirm: (${URL}) or (${ADDRESS})\r\n`).exec(raw)!.slice(1));
    expect(new Set(links.flat()).size).toBe(4);
    for (const raw of all) {
      expect(raw).toContain('X-Order: 17');
      expect(raw).not.toMatch(/x-acuse-acknowl|\{\{|Please confirm/i);
    }
    const page = await world.service.call('GET', new globalThis.URL(links[0]![0]!).pathname, { key: null });
    expect(page.status).toBe(200);
  });

  test('over SMTP has them too, in text and in HTML, until the time that it says, in its language', async () => {
    const by = new Date(Date.now() + 3 * 86_400_000);
    const smtp = await world.session();
    const headers = [
      ...['x-acuse-acknowledgement: Request', `X-Acuse-Acknowledge-By: ${by.toISOString()}`],
      ...['Content-Language: es-MX', 'MIME-Version: 1.0', 'Content-Type: multipart/alternative; boundary=b'],
    ];
    const body = [
      ...[
        '--b',
        'Content-Type: text/plain; charset=iso-8859-1',
        'Content-Transfer-Encoding: quoted-printable',
      ],
      ...['', 'Confirme aqu=ED: {{acknowledgement_url}}', '--b', 'Content-Type: text/html; charset=utf-8'],
      ...['', '<p><a href="{{acknowledgement_url}}">Confirme</a></p>', '--b--'],
    ].join('\r\n');
    const id = idIn(await sendRaw(smtp, mail({ headers, body })));
    smtp.end();
    const raw = await outgoing(id);
    expect(raw).toMatch(new RegExp(`aqu=ED: ${URL}`));
    expect(raw).toMatch(new RegExp(`href=3D"${URL}"`));
    expect((await messageOf(id)).acknowledgement.until).toBe(by.toISOString());
    const [row] = await world.service.db.query(
      'select language from acknowledgements where message_id = $1',
      [id],
    );
    expect(row).toEqual({ language: 'es' });
  });

  test('with the link that an editor of HTML encoded is as good, and what it only quotes stays', async () => {
    const quoted = '<code>%7B%7Backnowledgement_url%7D%7D</code>';
    const htmlOf = (target: string) =>
      mail({
        headers: [ASKS, 'MIME-Version: 1.0', 'Content-Type: text/html; charset=utf-8'],
        body: `<p><a href="${target}">Confirme</a> ${quoted}</p>`,
      });
    const { status, body } = await post(htmlOf('http://%7B%7Backnowledgement_url%7D%7D'));
    expect(status, JSON.stringify(body)).toBe(201);
    expect((await outgoing(body.id)).replaceAll('=3D', '=')).toMatch(
      new RegExp(`<a href="${URL}">Confirme</a> ${quoted}`),
    );
    const refused = await post(htmlOf('https://shop.test/'));
    expect([refused.status, refused.body.error.message]).toEqual([
      400,
      expect.stringContaining('needs a place for the link'),
    ]);
  });

  test('of many bytes is read and composed by threads, as a small one is', async () => {
    const long = `${PLACE}\r\n${'x'
      .repeat(76)
      .concat('\r\n')
      .repeat(Math.ceil(LARGE_BYTES / 78))}`;
    const { status, body } = await post(mail({ headers: [ASKS], body: long }));
    expect(status, JSON.stringify(body)).toBe(201);
    expect(await outgoing(body.id)).toMatch(new RegExp(`Confirm: ${URL} or ${ADDRESS}`));
    const refused = await post(
      mail({ headers: [ASKS], body: long.replace('_url', '_page').replace('_mail', '') }),
    );
    expect([refused.status, refused.body.error.message]).toEqual([
      400,
      expect.stringContaining('needs a place for the link'),
    ]);
  });

  test('with the same key but another request is not the same send', async () => {
    const key = newKey();
    const fields = { messageId: `<${newKey()}@client.test>`, body: PLACE };
    expect((await post(mail({ ...fields, headers: [ASKS] }), key)).status).toBe(201);
    expect((await post(mail({ ...fields, headers: [ASKS] }), key)).status).toBe(200);
    expect((await post(mail(fields), key)).body.error.code).toBe('idempotency_key_reused');
  });

  test('is left as it is where it does not ask', async () => {
    const { body } = await post(mail({ body: PLACE }));
    expect(body.acknowledgement).toBeNull();
    expect(await outgoing(body.id)).toContain('{{acknowledgement_url}}');
  });
});

const SIGNED = [
  ...['--s', 'Content-Type: text/plain', '', PLACE, '--s'],
  ...['Content-Type: application/pkcs7-signature', 'Content-Transfer-Encoding: base64', '', 'AAAA', '--s--'],
].join('\r\n');
const ATTACHED = [
  ...['--m', 'Content-Type: text/plain', '', 'See the file.', '--m'],
  ...['Content-Type: text/plain', 'Content-Disposition: attachment; filename=a.txt', '', PLACE, '--m--'],
].join('\r\n');
const later = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

describe('is refused, by name and with the fix,', () => {
  test.each<[string, readonly string[], string, RegExp]>([
    ['without a place', [ASKS], 'Hello', /write \{\{acknowledgement_url\}\} in a part/],
    [
      'signed',
      [ASKS, 'Content-Type: multipart/signed; protocol="application/pkcs7-signature"; boundary=s'],
      SIGNED,
      /what is signed, encrypted or attached is left/,
    ],
    [
      'with a place in a file alone',
      [ASKS, 'Content-Type: multipart/mixed; boundary=m'],
      ATTACHED,
      /needs a place/,
    ],
    ['that demands', ['X-Acuse-Acknowledgement: demand'], PLACE, /can only be "request"/],
    ['that asks for nothing', ['X-Acuse-Acknowledgement:'], PLACE, /can only be "request"/],
    ['that asks twice', [ASKS, ASKS], PLACE, /only once each/],
    ['with a time alone', [`X-Acuse-Acknowledge-By: ${later(1)}`], PLACE, /requires X-Acuse-Acknowledgement/],
    ['with no time', [ASKS, 'X-Acuse-Acknowledge-By: Tue, 1 Dec 2026 09:30:00 +0000'], PLACE, /RFC 3339/],
    [
      'with a time that has passed',
      [ASKS, `X-Acuse-Acknowledge-By: ${later(-1)}`],
      PLACE,
      /X-Acuse-Acknowledge-By is .* an hour/,
    ],
    ['with a time too late', [ASKS, `X-Acuse-Acknowledge-By: ${later(91)}`], PLACE, /at most 90 days/],
    [
      'with a misspelt header',
      ['X-Acuse-Acknowledgment: request'],
      PLACE,
      /no header X-Acuse-Acknowledgment: send X-Acuse-Acknowledgement/,
    ],
  ])('a message %s', async (_, headers, body, why) => {
    const { status, body: told } = await post(mail({ headers, body }));
    expect([status, told.error?.code]).toEqual([400, 'invalid_body']);
    expect(told.error.message).toMatch(why);
  });

  test('a plain one, over HTTP and SMTP', async () => {
    const set = (isDefault: boolean) =>
      world.service.db.execute('update tenants set default_certified = $1', [isDefault]);
    await set(false);
    try {
      const other = await openSubmissionWorld({ databaseUrl: world.service.databaseUrl });
      try {
        const content = mail({ headers: [ASKS], body: PLACE });
        const { body } = await other.service.call('POST', '/v1/messages', {
          body: content,
          headers: { 'content-type': 'message/rfc822', 'idempotency-key': newKey() },
        });
        expect(body.error.message).toMatch(/certified messages.*default_certified/);
        const smtp = await other.session();
        expect(await sendRaw(smtp, content)).toMatch(/^5\d\d .*default_certified/s);
        smtp.end();
      } finally {
        await other.stop();
      }
    } finally {
      await set(true);
    }
  });

  test('the header in JSON, where it would ask for nothing', async () => {
    const headers = { 'X-Acuse-Acknowledgement': 'request' };
    const { status, body } = await world.service.send({ certified: true, headers });
    expect([status, body.error.code]).toEqual([400, 'invalid_body']);
    expect(body.error.message).toMatch(/send acknowledgement and acknowledge_by in the body/);
  });
});
