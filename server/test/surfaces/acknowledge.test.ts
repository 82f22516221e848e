import { parseDeliveryManifest } from '@acuse/evidence/delivery';
import { parseDeliveryOpenings } from '@acuse/evidence/delivery-openings';
import { verifyBundle } from '@acuse/evidence/verify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expireDue } from '../../src/delivery/acknowledgement/expire.ts';
import { fsck } from '../../src/evidence/fsck/fsck.ts';
import { eraseMessage } from '../../src/operate/retention/erase.ts';
import { takeOfDay } from '../../src/people/sessions/day-limits.ts';
import { sha256 } from '../../src/platform/sha256.ts';
import { CODE_PAUSE_MS, CODES_OF_MESSAGE } from '../../src/surfaces/acknowledge/answer.ts';
import { ACKNOWLEDGE_WORDS } from '../../src/surfaces/acknowledge/words.ts';
import { sealAll, worldOf } from '../evidence/seal-all.ts';
import { sealerOf } from '../evidence/support.ts';
import { holdableClock } from '../support/holdable-clock.ts';
import { newKey, startTestService, type TestService } from '../support/service.ts';

/** A recipient who is asked to acknowledge a message, and all who would like to do it in their place. */

let service: TestService;
/** How far the clock is ahead (ms). */
let ahead = 0;
const clock = holdableClock(() => ahead);
beforeAll(async () => {
  service = await startTestService({ clock });
});
afterAll(() => service.stop());

interface Asked {
  readonly id: string;
  readonly token: string;
  readonly to: string;
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const get = (path: string, headers: Record<string, string> = {}) =>
  service.call('GET', path, { key: null, headers });
function post(path: string, fields: Record<string, string> = {}) {
  return service.call('POST', path, {
    key: null,
    headers: FORM,
    body: new URLSearchParams(fields).toString(),
  });
}

/** Sent and taken by a server, as after delivery. */
async function ask(fields: object = {}, to = `luis-${newKey()}@sandbox.test`): Promise<Asked> {
  // A network's limit comes back.
  ahead += 60_000;
  const sent = await service.send({ to, certified: true, acknowledgement: 'request', ...fields });
  expect(sent.status, JSON.stringify(sent.body)).toBe(201);
  const { id } = sent.body;
  await service.db.execute(
    `update messages set status = 'sent', sent_at = $2, attempts = 1, next_attempt_at = null where message_id = $1`,
    [id, new Date(Date.now() + ahead)],
  );
  const raw = (await service.call('GET', `/v1/messages/${id}/raw`)).raw.toString();
  const token = /\/a\/([a-z2-7]{26})/.exec(raw.replaceAll('=\r\n', ''))![1]!;
  return { id, token, to };
}

/** The codes that went to an address, the newest last. */
async function codesTo(to: string): Promise<string[]> {
  const rows = await service.db.query<{ raw: Buffer }>(
    `select c.raw from messages m join message_contents c using (tenant_id, message_id)
      where m.recipient_address = $1 and m.sender_address like 'portal@%' order by m.message_id`,
    [to],
  );
  return rows.map(({ raw }) => /(?:code is|código es) (\d{8})/.exec(decoded(raw))![1]!);
}

const decoded = (raw: Buffer) =>
  Buffer.from(
    raw
      .toString('latin1')
      .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8');

async function codeFor(asked: Asked): Promise<string> {
  expect((await post(`/a/${asked.token}/code?lang=en`)).status).toBe(303);
  return (await codesTo(asked.to)).at(-1)!;
}

const answer = (asked: Asked, code: string, more: Record<string, string> = {}) =>
  post(`/a/${asked.token}?lang=es`, { code, name: 'Luis Pérez', tick: 'yes', act: 'acknowledged', ...more });

async function leavesOf(id: string) {
  const rows = await service.db.query<{ manifest: Buffer; openings: Buffer }>(
    `select manifest, openings from leaf_contents where message_id = $1 and kind = 'delivery' order by ordinal`,
    [id],
  );
  return rows.map(({ manifest, openings }) => ({
    ...parseDeliveryManifest(manifest),
    facts: parseDeliveryOpenings(openings).facts.value,
  }));
}

const messageOf = async (id: string) => (await service.call('GET', `/v1/messages/${id}`)).body;
const eventsOf = async (id: string) =>
  (await service.call('GET', `/v1/messages/${id}/events`)).body.data.map(
    ({ type }: { type: string }) => type,
  );

describe('a send', () => {
  test('that asks has a link of its own in text and html, and says so', async () => {
    const html = '<html><body><p>Hola</p></body></html>';
    const sent = await service.send({ certified: true, acknowledgement: 'request', locale: 'es-MX', html });
    expect(sent.body.acknowledgement).toMatchObject({ status: 'requested', source: null, at: null });
    expect(await messageOf(sent.body.id)).toEqual(sent.body);
    const raw = (await service.call('GET', `/v1/messages/${sent.body.id}/raw`)).raw.toString();
    expect(raw.replaceAll('=\r\n', '').match(/http:\/\/[^/\s]+\/a\/[a-z2-7]{26}/g)).toHaveLength(3);
    expect(decoded(Buffer.from(raw))).toContain('Por favor, confirme que recibió este mensaje:');
    expect(raw.replaceAll('=\r\n', '')).toMatch(/mailto:ack%2B[0-9a-f]{32}-[a-z2-7]{16}@/);
  });

  test('has the link where the text says so, for each recipient another', async () => {
    const { body } = await service.send({
      to: ['one@sandbox.test', 'two@sandbox.test'],
      ...{ certified: true, acknowledgement: 'request', text: 'Confirm: {{acknowledgement_url}} Thanks' },
    });
    const ids = [body.id, body.copies[0].id];
    const raws = await Promise.all(ids.map((id) => service.call('GET', `/v1/messages/${id}/raw`)));
    const links = raws.map(
      ({ raw }) => /Confirm: (\S+) Thanks/.exec(raw.toString().replaceAll('=\r\n', ''))![1],
    );
    expect(new Set(links).size).toBe(2);
    expect(raws[0]!.raw.toString()).not.toContain('Please confirm');
  });

  test('with a template has it where the template says', async () => {
    const template = {
      name: newKey(),
      subject: 'Hi',
      text: 'Go to {{acknowledgement_url}} or {{ acknowledgement_mail }} now',
    };
    await service.call('POST', '/v1/templates', { body: template });
    const sent = await service.send({
      ...{ subject: undefined, text: undefined, template: template.name, variables: {} },
      ...{ certified: true, acknowledgement: 'request' },
    });
    const raw = (await service.call('GET', `/v1/messages/${sent.body.id}/raw`)).raw.toString();
    expect(raw.replaceAll('=\r\n', '')).toMatch(
      /Go to http:\/\/[^/\s]+\/a\/[a-z2-7]{26} or ack\+[0-9a-f]{32}-[a-z2-7]{16}@\S+ now/,
    );
  });

  test('with a template whose editor encoded the link has it too', async () => {
    const template = {
      name: newKey(),
      subject: 'Hi',
      html: '<p>{{name}}: <a href="%7B%7Backnowledgement_url%7D%7D">confirm</a></p>',
    };
    await service.call('POST', '/v1/templates', { body: template });
    const sent = await service.send({
      ...{ subject: undefined, text: undefined, template: template.name, variables: { name: 'Luis' } },
      ...{ certified: true, acknowledgement: 'request' },
    });
    const raw = (await service.call('GET', `/v1/messages/${sent.body.id}/raw`)).raw.toString();
    expect(raw.replaceAll('=\r\n', '').replaceAll('=3D', '=')).toMatch(
      /Luis: <a href="http:\/\/[^/\s]+\/a\/[a-z2-7]{26}">confirm</,
    );
  });

  const later = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  test('says when no code can be sent, however it came, until the domain of that mail is verified', async () => {
    const asking = { certified: true, acknowledgement: 'request' };
    const verify = (status: string) =>
      service.db.execute(
        `update domains d set status = $1 from tenants t where t.tenant_id = d.tenant_id and t.internal`,
        [status],
      );
    // The first mail makes the account.
    await codeFor(await ask());
    await verify('pending');
    try {
      const key = newKey();
      for (const status of [201, 200]) {
        const sent = await service.send(asking, { headers: { 'idempotency-key': key } });
        expect(sent.status).toBe(status);
        expect(sent.body.warnings).toEqual([
          expect.objectContaining({ code: 'codes_not_sent', field: 'acknowledgement' }),
        ]);
      }
      const of = { from: 'billing@sandbox.test', to: 'ana@sandbox.test', subject: 'Hello', text: 'Hello' };
      const body = { messages: [{ idempotency_key: newKey(), ...of, ...asking }] };
      const batch = await service.call('POST', '/v1/messages/batch', { body });
      expect(JSON.stringify(batch.body)).toContain('codes_not_sent');
      expect((await service.send({ certified: true })).body).not.toHaveProperty('warnings');
    } finally {
      await verify('verified');
    }
    expect((await service.send(asking)).body).not.toHaveProperty('warnings');
  });

  test.each([
    ['of a plain message', { certified: false, acknowledgement: 'request' }],
    ['for another thing', { acknowledgement: 'demand' }],
    ['by a time alone', { acknowledge_by: later(1) }],
    ['by no time', { acknowledgement: 'request', acknowledge_by: 'tomorrow' }],
    ['by a time that has passed', { acknowledgement: 'request', acknowledge_by: later(-1) }],
    ['by a time too late', { acknowledgement: 'request', acknowledge_by: later(91) }],
  ])('is refused %s', async (_, fields) => {
    const { status, body } = await service.send({ certified: true, ...fields });
    expect([status, body.error.code]).toEqual([400, 'invalid_body']);
    expect(body.error.message).toMatch(/acknowledge/);
  });

  test('that does not ask has nothing of it', async () => {
    const { body } = await service.send({ certified: true });
    expect(body.acknowledgement).toBeNull();
    const [{ manifest } = { manifest: Buffer.alloc(0) }] = await service.db.query<{ manifest: Buffer }>(
      'select manifest from leaf_contents where message_id = $1',
      [body.id],
    );
    expect(Object.keys(JSON.parse(manifest.toString()))).not.toContain('acknowledgement');
  });
});

describe('the recipient', () => {
  test('reads, gets a code, confirms: an outcome that everybody can verify', async () => {
    const asked = await ask({ subject: 'Contrato <b>', locale: 'es' });
    const page = await get(`/a/${asked.token}`);
    expect(page.status).toBe(200);
    expect(page.body).toContain('Contrato &#60;b&#62;');
    expect(page.body).toContain('lang="es-MX"');
    expect(page.headers['content-security-policy']).not.toContain('script');
    expect(page.headers['cache-control']).toBe('no-store');
    const sealed = (await service.call('GET', `/v1/messages/${asked.id}/raw`)).raw.toString();
    const [byMail] = /ack\+[0-9a-f]{32}-[a-z2-7]{16}@[\w.-]+/.exec(sealed.replaceAll('=\r\n', ''))!;
    expect(page.body.replaceAll('%2B', '+').split(byMail)).toHaveLength(3);
    const code = await codeFor(asked);
    expect((await get(`/a/${asked.token}`)).body).toContain('one-time-code');
    expect((await answer(asked, `${code.slice(0, 3)} ${code.slice(3)}`)).status).toBe(303);
    expect((await get(`/a/${asked.token}`)).body).toContain('Recepción confirmada');
    const [leaf] = await leavesOf(asked.id);
    expect(leaf).toMatchObject({ kind: 'acknowledged', source: 'recipient_page', etsi: null, dsn: null });
    expect(leaf!.facts.acknowledgement).toMatchObject({
      ...{ name: 'Luis Pérez', language: 'es', reason: null, sentence: ACKNOWLEDGE_WORDS.es.sentence },
    });
    const { acknowledgement, status } = await messageOf(asked.id);
    expect(acknowledgement).toMatchObject({
      status: 'acknowledged',
      source: 'recipient_page',
      at: leaf!.occurred_at,
    });
    expect(status).toBe('sent');
    expect(await eventsOf(asked.id)).toContain('acknowledgement.given');
    const base = await service.http.app.listen({ host: '127.0.0.1', port: 0 });
    await sealAll(
      worldOf(service),
      sealerOf({ url: `${base}/tsa`, policy: service.services.authority.policy }),
    );
    const bundle = await service.call('GET', `/v1/messages/${asked.id}/proof-bundle`);
    const report = await verifyBundle(bundle.raw, { sha256, now: new Date(), trust: 'bundle' });
    expect(report.checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(report.facts?.delivery?.map(({ kind }) => kind)).toEqual(['acknowledged']);
    const problems = async () =>
      (await fsck({ db: service.db })).problems.filter(({ detail }) =>
        /occurred_at|acknowledgement:/.test(detail),
      );
    expect(await problems()).toEqual([]);
    await service.db.execute(
      `update acknowledgements set until = until + interval '1 day', decided_at = decided_at + interval '1 s'
        where message_id = $1`,
      [asked.id],
    );
    expect((await problems()).map(({ detail }) => detail.split(':')[0])).toEqual([
      'acknowledgement',
      'occurred_at',
    ]);
  });

  test('may paste the code as it stands in the mail, with all of its line', async () => {
    const asked = await ask();
    const code = await codeFor(asked);
    const halves = `${code.slice(0, 4)}\u00a0${code.slice(4)}`;
    for (const other of [`${code}1`, `1-${halves}`, 'Su código'])
      expect((await answer(asked, other)).body).toContain(ACKNOWLEDGE_WORDS.es.faults.code_form);
    expect((await answer(asked, `Su código es ${halves} `)).status).toBe(303);
  });

  test('may refuse, with a reason and without a tick', async () => {
    const asked = await ask();
    const code = await codeFor(asked);
    const more = { act: 'refused', tick: '', reason: 'No es\r\npara mí' };
    expect((await answer(asked, code, more)).status).toBe(303);
    const [leaf] = await leavesOf(asked.id);
    expect(leaf).toMatchObject({ kind: 'refused', source: 'recipient_page' });
    expect(leaf!.facts.acknowledgement).toMatchObject({ reason: 'No es para mí' });
    expect((await messageOf(asked.id)).acknowledgement.status).toBe('refused');
    expect(await eventsOf(asked.id)).toContain('acknowledgement.refused');
  });

  test.each([
    ['name', { name: ' \u200b ' }, 'name'],
    ['tick', { tick: '' }, 'tick'],
    ['code', { code: '12' }, 'code_form'],
  ] as const)('is told that the %s is missing, and keeps what was typed', async (_, fields, fault) => {
    const asked = await ask();
    const code = await codeFor(asked);
    const told = await answer(asked, code, { reason: 'a "reason"', ...fields });
    expect(told.status).toBe(422);
    expect(told.body).toContain(ACKNOWLEDGE_WORDS.es.faults[fault].replace("'", '&#39;'));
    expect(told.body).toContain('a &#34;reason&#34;');
    expect(told.body).toContain(`value="${fault === 'code_form' ? '12' : code}"`);
    // It cost no try: the code is good.
    expect((await answer(asked, code)).status).toBe(303);
  });

  test('has one answer, whoever comes first', async () => {
    const asked = await ask();
    const code = await codeFor(asked);
    const both = await Promise.all([
      answer(asked, code),
      answer(asked, code, { act: 'refused' }),
      answer(asked, code),
    ]);
    expect(both.map(({ status }) => status)).toEqual([303, 303, 303]);
    expect(await leavesOf(asked.id)).toHaveLength(1);
    await answer(asked, code, { act: 'refused' });
    expect(await leavesOf(asked.id)).toHaveLength(1);
    expect((await eventsOf(asked.id)).filter((type: string) => type.startsWith('ack'))).toHaveLength(1);
  });

  test('is asked to wait while the message is on its way', async () => {
    const asked = await ask();
    await service.db.execute(
      `update messages set status = 'queued', sent_at = null, next_attempt_at = now() where message_id = $1`,
      [asked.id],
    );
    const told = await post(`/a/${asked.token}/code?lang=en`);
    expect([told.status, await codesTo(asked.to)]).toEqual([422, []]);
    expect(told.body).toContain('still on its way');
  });
});

describe('nobody else', () => {
  test('acts by opening the link or by pressing everything on it', async () => {
    const asked = await ask();
    for (let turn = 0; turn < 3; turn++) {
      await get(`/a/${asked.token}`);
      await get(`/a/${asked.token}?lang=en`);
      await post(`/a/${asked.token}/code`);
      for (const act of ['acknowledged', 'refused'])
        await post(`/a/${asked.token}`, { act, tick: 'yes', name: 'Scanner', code: '' });
    }
    expect(await leavesOf(asked.id)).toEqual([]);
    expect(await codesTo(asked.to)).toHaveLength(1);
  });

  test('guesses a code: 5 tries, then it is gone, even the right one', async () => {
    const asked = await ask();
    const code = await codeFor(asked);
    const wrong = Array.from({ length: 5 }, (_, i) =>
      String((Number(code) + i + 1) % 100_000_000).padStart(8, '0'),
    );
    const tried = await Promise.all(wrong.map((each) => answer(asked, each)));
    expect(tried.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422]);
    // Who typed another code reads it again, and does not press once more.
    for (const [at, { body }] of tried.entries()) expect(body).not.toContain(`value="${wrong[at]}"`);
    expect((await answer(asked, code)).body).toContain(ACKNOWLEDGE_WORDS.es.faults.code_over);
    expect(await leavesOf(asked.id)).toEqual([]);
  });

  test('uses a code after ten minutes, or one that a newer one replaced', async () => {
    const asked = await ask();
    const first = await codeFor(asked);
    ahead += CODE_PAUSE_MS;
    const second = await codeFor(asked);
    if (first !== second) expect((await answer(asked, first)).status).toBe(422);
    ahead += 10 * 60_000;
    expect((await answer(asked, second)).body).toContain(ACKNOWLEDGE_WORDS.es.faults.code_over);
    expect(await leavesOf(asked.id)).toEqual([]);
  });

  test('uses the code of another message', async () => {
    const to = `luis-${newKey()}@sandbox.test`;
    const [one, two] = [await ask({}, to), await ask({}, to)];
    await codeFor(one);
    const code = await codeFor(two);
    if ((await codesTo(to))[0] !== code) expect((await answer(one, code)).status).toBe(422);
    expect(await leavesOf(one.id)).toEqual([]);
  });

  test('has more than so many codes sent for a message, however many ask', async () => {
    const asked = await ask();
    const asking = await Promise.all(Array.from({ length: 30 }, () => post(`/a/${asked.token}/code`)));
    expect(asking.filter(({ status }) => status === 303)).toHaveLength(1);
    for (let i = 0; i < CODES_OF_MESSAGE + 3; i++) {
      ahead += CODE_PAUSE_MS * 10;
      await post(`/a/${asked.token}/code`);
    }
    expect(await codesTo(asked.to)).toHaveLength(CODES_OF_MESSAGE);
    // Whoever has the link could use them up, and nobody could answer.
    ahead += 24 * 60 * 60_000;
    expect((await answer(asked, await codeFor(asked))).status).toBe(303);
  });

  test('uses up the codes that the recipient needs for the message of another account', async () => {
    const to = `luis-${newKey()}@sandbox.test`;
    const recipient = `acknowledgement:recipient:${to}`;
    const fill = (subject: string, of: number) =>
      service.db.asSessions(async (tx) => {
        for (let i = 0; i < of; i++)
          await takeOfDay(tx, [{ subject, max: of, whose: '' }], new Date(Date.now() + ahead));
      });
    await fill(recipient, 20);
    const asked = await ask({}, to);
    expect((await answer(asked, await codeFor(asked))).status).toBe(303);
  });

  test('loads the page of a link without end', async () => {
    const asked = await ask();
    // In whatever letters it is written.
    const spelt = (i: number) =>
      [...asked.token].map((letter, at) => ((i >> (at % 7)) & 1 ? letter.toUpperCase() : letter)).join('');
    const viewed = () => Promise.all(Array.from({ length: 80 }, (_, i) => get(`/a/${spelt(i)}`)));
    const refused = (await clock.held(viewed)).filter(({ status }) => status === 429);
    expect(refused).toHaveLength(40);
    expect(refused[0]!.headers['retry-after']).toMatch(/^\d+$/);
    ahead += 10 * 60_000;
    expect((await get(`/a/${asked.token}`)).status).toBe(200);
  });

  test('finds a message by a token that is none, and learns nothing', async () => {
    for (const token of ['a', 'a'.repeat(26), 'A1'.repeat(13), '%00', '..%2f..'])
      expect([token, (await get(`/a/${token}`)).status]).toEqual([token, 404]);
  });

  test('who sent the message sees the code, in any list', async () => {
    const asked = await ask();
    const code = await codeFor(asked);
    const lists = [
      '/v1/messages',
      '/v1/events',
      `/v1/messages/${asked.id}`,
      `/v1/messages/${asked.id}/events`,
    ];
    for (const path of lists) {
      const { body } = await service.call('GET', path);
      expect(JSON.stringify(body)).not.toMatch(new RegExp(`Your code|Su código|"${code}"`));
    }
    const rows = await service.db.query(
      `select 1 from acknowledgements where message_id = $1 and code_sha256::text like '%' || $2 || '%'`,
      [asked.id, code],
    );
    expect(rows).toEqual([]);
  });
});

describe('time', () => {
  const soon = () => new Date(Date.now() + ahead + 2 * 3_600_000).toISOString();

  test('runs out: unanswered, once, and the page says so', async () => {
    const asked = await ask({ acknowledge_by: soon() });
    const bounced = await ask({ acknowledge_by: soon() });
    await service.db.execute(
      `update messages set status = 'bounced', bounced_at = sent_at, bounce_type = 'hard', sent_at = null where message_id = $1`,
      [bounced.id],
    );
    const code = await codeFor(asked);
    const deps = { ...service.services, webhooks: null };
    ahead += 2 * 3_600_000;
    await Promise.all([expireDue(deps), expireDue(deps)]);
    expect((await leavesOf(asked.id)).map(({ kind, source }) => [kind, source])).toEqual([
      ['unanswered', 'operator'],
    ]);
    expect((await messageOf(asked.id)).acknowledgement).toMatchObject({
      status: 'unanswered',
      source: 'operator',
    });
    expect(await eventsOf(asked.id)).toContain('acknowledgement.expired');
    await answer(asked, code);
    const { body } = await get(`/a/${asked.token}?lang=en`);
    const { wasUntil, time } = ACKNOWLEDGE_WORDS.en;
    const { until } = (await messageOf(asked.id)).acknowledgement;
    for (const said of [
      'The time to answer is over',
      wasUntil(time(new Date(until))),
      'billing@sandbox.test',
    ])
      expect(body).toContain(said);
    expect(body).not.toContain('<form');
    // A message that never arrived could not be answered: nobody is told that it was not.
    expect(await leavesOf(bounced.id)).toEqual([]);
    expect((await messageOf(bounced.id)).acknowledgement.status).toBe('unanswered');
  });

  test.each(['bounced', 'cancelled'])('is not promised for a message that was %s', async (status) => {
    const asked = await ask();
    await service.db.execute(
      `update messages set status = $2, bounced_at = case $2 when 'bounced' then sent_at end,
              cancelled_at = case $2 when 'cancelled' then sent_at end,
              bounce_type = case $2 when 'bounced' then 'hard' end, sent_at = null
        where message_id = $1`,
      [asked.id, status],
    );
    for (const page of [
      await get(`/a/${asked.token}?lang=en`),
      await post(`/a/${asked.token}/code?lang=en`),
      await post(`/a/${asked.token}?lang=en`, { code: '12345678', name: 'Luis', tick: 'yes' }),
    ]) {
      expect(page.body).toContain('This message was not delivered');
      expect(page.body).not.toMatch(/<form|in a minute/);
    }
    expect(await codesTo(asked.to)).toEqual([]);
  });

  test('is up for the page before the outcome is written', async () => {
    const asked = await ask({ acknowledge_by: soon() });
    const code = await codeFor(asked);
    ahead += 2 * 3_600_000;
    await answer(asked, code);
    expect(await leavesOf(asked.id)).toEqual([]);
  });
});

describe('erasing', () => {
  test('takes what was typed, and leaves that it was acknowledged', async () => {
    const asked = await ask();
    await answer(asked, await codeFor(asked));
    const request = { messageId: asked.id, tenantId: null, reason: 'asked for', by: 'test', force: true };
    const erased = await eraseMessage({ ...service.services, certifiedYears: 10 }, request);
    expect(erased.kind).toBe('erased');
    const [row] = await service.db.query<{ openings: Buffer | null }>(
      `select openings from leaf_contents where message_id = $1 and kind = 'delivery'`,
      [asked.id],
    );
    expect(row!.openings).toBeNull();
    expect((await messageOf(asked.id)).acknowledgement.status).toBe('acknowledged');
    const page = await get(`/a/${asked.token}`);
    expect(page.body).not.toContain(asked.to);
  });

  test('ends what nobody answered, without a word', async () => {
    const asked = await ask();
    const code = await codeFor(asked);
    const request = { messageId: asked.id, tenantId: null, reason: 'asked for', by: 'test', force: true };
    await eraseMessage({ ...service.services, certifiedYears: 10 }, request);
    await answer(asked, code);
    expect((await get(`/a/${asked.token}?lang=en`)).body).toContain('This message was deleted');
    expect(await leavesOf(asked.id)).toEqual([]);
  });
});
