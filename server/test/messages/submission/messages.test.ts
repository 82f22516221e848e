import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRawSmtp } from '../../support/raw-smtp.ts';
import { newKey } from '../../support/service.ts';
import { idIn, mail, openSubmissionWorld, type SubmissionWorld, sendRaw } from './harness.ts';

let world: SubmissionWorld;
beforeAll(async () => {
  world = await openSubmissionWorld();
});
afterAll(() => world.stop());

async function submissionOf(messageId: string): Promise<Buffer> {
  const [row] = await world.service.db.query<{ submission: Buffer }>(
    'select submission from message_contents where message_id = $1',
    [messageId],
  );
  return row!.submission;
}

describe('an accepted message', () => {
  test('is the one that HTTP would have made of it, from the bytes that were sent', async () => {
    const smtp = await world.session();
    const content = mail({
      subject: 'Factura =?utf-8?q?N=C3=BAm?=. 1',
      headers: ['X-Order: 17', 'Bcc: secret@sandbox.test', 'Received: from somewhere'],
      body: '..two dots\r\n.one dot\r\nend',
    });
    // As a client writes it: lines that begin with a dot get another.
    const id = idIn(await sendRaw(smtp, content.replaceAll('\r\n.', '\r\n..')));
    smtp.end();

    const { body } = await world.service.call('GET', `/v1/messages/${id}`);
    expect(body).toMatchObject({
      status: 'queued',
      certified: true,
      from: 'Billing <billing@sandbox.test>',
      to: 'delivered@sandbox.test',
      subject: 'Factura Núm. 1',
    });
    const stored = await submissionOf(id);
    const shown = content.replace('Bcc: secret@sandbox.test\r\n', '');
    expect(stored.toString()).toBe(shown);
    expect(createHash('sha256').update(stored).digest('hex')).toBe(
      createHash('sha256').update(shown).digest('hex'),
    );
    const raw = (await world.service.call('GET', `/v1/messages/${id}/raw`)).raw.toString();
    expect(raw).toContain('X-Order: 17');
    expect(raw).toContain('=2E.two dots\r\n=2Eone dot\r\nend');
    expect(raw).not.toMatch(/secret@|Received:/);
  });

  test('names what was dropped and guessed of it, in the reply and over HTTP, again in a replay', async () => {
    const smtp = await world.session();
    const messageId = `<${newKey()}@client.test>`;
    const headers = [
      'Errors-To: x@sandbox.test',
      'Importance: high',
      'Content-Type: text/plain; charset=x-unknown',
    ];
    const content = Buffer.from(mail({ messageId, headers, body: 'a\xf1o' }), 'latin1');
    const reply = await sendRaw(smtp, content);
    expect(reply).toMatch(/ \(warnings: not sent: Errors-To; The part of \d+ bytes .*windows-1252/);
    smtp.end();
    const { raw } = await world.service.call('GET', `/v1/messages/${idIn(reply)}/raw`);
    expect(raw.toString()).toMatch(/^Importance: high\r$/m);
    expect(raw.toString()).not.toContain('Errors-To');
    const http = await world.service.call('POST', '/v1/messages', {
      body: content,
      headers: { 'content-type': 'message/rfc822', 'idempotency-key': messageId },
    });
    expect(http).toMatchObject({
      status: 200,
      body: {
        warnings: [
          { code: 'header_dropped', field: 'Errors-To' },
          { code: 'charset_guessed', field: 'body' },
        ],
      },
    });
  });

  test('may have lines that LF alone ends, with a dot in front of one', async () => {
    const smtp = await world.session();
    const lines = mail({ body: 'one\n..two\n...three\r\nfour' }).replaceAll('\r\n', '\n');
    const id = idIn(await sendRaw(smtp, `${lines}\r\n`));
    const shown = (await submissionOf(id)).toString();
    expect(shown).not.toMatch(/(?<!\r)\n/);
    expect(shown).toContain('one\r\n.two\r\n..three\r\nfour');
    expect(await sendRaw(smtp, mail({ body: 'a\rb' }))).toMatch(/^550 5\.5\.2 .*bare CR/);
    smtp.end();
  });

  test('is on disk when its 250 comes', async () => {
    const smtp = await world.session();
    const id = idIn(await sendRaw(smtp, mail()));
    const rows = await world.service.db.query('select 1 from delivery_queue where message_id = $1', [id]);
    expect(rows).toHaveLength(1);
    smtp.end();
  });

  test('may have any MAIL FROM, the empty one too', async () => {
    const smtp = await world.session();
    for (const reversePath of ['', 'someone@elsewhere.test', 'root@localhost'])
      idIn(await sendRaw(smtp, mail(), { reversePath }));
    smtp.end();
  });

  test('follows others on one connection, over either kind of TLS, pipelined', async () => {
    const implicit = await world.session();
    for (let n = 0; n < 3; n++) idIn(await sendRaw(implicit, mail()));
    implicit.end();

    const smtp = await openRawSmtp(world.port);
    await smtp.command('EHLO client.test');
    await smtp.startTls();
    await smtp.login(world.key);
    smtp.write(
      'MAIL FROM:<>\r\nRCPT TO:<delivered@sandbox.test>\r\nRCPT TO:<other@sandbox.test>\r\nDATA\r\n',
    );
    const replies = [];
    for (let n = 0; n < 4; n++) replies.push((await smtp.reply()).slice(0, 9));
    expect(replies).toEqual(['250 2.1.0', '250 2.1.5', '250 2.1.5', '354 End d']);
    // Commands after a message may be written before it is answered.
    smtp.write(`${mail()}.\r\nMAIL FROM:<>\r\nRCPT TO:<delivered@sandbox.test>\r\nDATA\r\n`);
    idIn(await smtp.reply());
    for (let n = 0; n < 3; n++) expect(await smtp.reply()).toMatch(/^[23]/);
    smtp.write(`${mail()}.\r\nQUIT\r\n`);
    idIn(await smtp.reply());
    expect(await smtp.reply()).toMatch(/^221 /);
    await smtp.closed;
  });

  test('comes whole in 8 bits and to addresses in UTF-8', async () => {
    const smtp = await world.session();
    const content = mail({
      to: 'dejlig-blåbær@sandbox.test',
      subject: 'Grüße',
      headers: [
        'MIME-Version: 1.0',
        'Content-Type: text/plain; charset=utf-8',
        'Content-Transfer-Encoding: 8bit',
      ],
      body: 'Señor Núñez: 1 000 €',
    });
    const forwardPath = 'dejlig-blåbær@sandbox.test';
    expect(await sendRaw(smtp, content, { forwardPath, parameters: ' BODY=8BITMIME' })).toMatch(
      /^553 5\.6\.7 .*SMTPUTF8/,
    );
    const id = idIn(await sendRaw(smtp, content, { forwardPath, parameters: ' BODY=8BITMIME SMTPUTF8' }));
    const { body } = await world.service.call('GET', `/v1/messages/${id}`);
    expect(body).toMatchObject({ to: forwardPath, subject: 'Grüße' });
    expect(await sendRaw(smtp, content, { parameters: ' BODY=BINARYMIME' })).toMatch(/^501 5\./);
    smtp.end();
  });

  test('takes its domain in either spelling', async () => {
    const smtp = await world.session();
    idIn(await sendRaw(smtp, mail({ to: 'ana@bücher.test' }), { forwardPath: 'ANA@xn--bcher-kva.test' }));
    smtp.end();
  });
});

describe('sent again', () => {
  test('with its Message-ID it is a replay, once over HTTP too', async () => {
    const smtp = await world.session();
    const messageId = `<${newKey()}@client.test>`;
    const content = mail({ messageId });
    const before = await world.count();
    const id = idIn(await sendRaw(smtp, content));
    const again = await sendRaw(smtp, content);
    expect(idIn(again)).toBe(id);
    expect(again).toContain('(replay: already accepted)');
    expect(await world.count()).toBe(before + 1);
    const http = await world.service.call('POST', '/v1/messages', {
      body: content,
      headers: { 'content-type': 'message/rfc822', 'idempotency-key': messageId },
    });
    expect(http).toMatchObject({ status: 200, body: { id } });
    smtp.end();
  });

  test('a key of its own comes before the Message-ID, and goes no further', async () => {
    const smtp = await world.session();
    const key = newKey();
    const headers = [`Idempotency-Key: ${key}`];
    const id = idIn(await sendRaw(smtp, mail({ headers })));
    expect(idIn(await sendRaw(smtp, mail({ headers })))).toBe(id);
    const { body } = await world.service.call('GET', `/v1/messages/${id}`);
    expect(body.idempotency_key).toBe(key);
    const { raw } = await world.service.call('GET', `/v1/messages/${id}/raw`);
    expect(raw.toString()).not.toContain(key);
    smtp.end();
  });

  test('at the same time from two connections it is one message', async () => {
    const content = mail();
    const before = await world.count();
    const sessions = await Promise.all(Array.from({ length: 6 }, () => world.session()));
    const ids = await Promise.all(sessions.map((smtp) => sendRaw(smtp, content).then(idIn)));
    expect(new Set(ids).size).toBe(1);
    expect(await world.count()).toBe(before + 1);
    for (const smtp of sessions) smtp.end();
  });
});

describe('what is no end of data', () => {
  test.each([
    '\n.\n',
    '\n.\r\n',
    '\r\n.\n',
    '\r\n.\r',
    '\r.\r',
    '\r.\r\n',
    '\n.\r',
    '\r\r\n.\r\r\n',
    '\r\n\0.\r\n',
  ])('%j smuggles no second message in', async (sequence) => {
    const before = await world.count();
    const smtp = await world.session();
    const inner = 'MAIL FROM:<>\r\nRCPT TO:<delivered@sandbox.test>\r\nDATA\r\n';
    await smtp.command('MAIL FROM:<>');
    await smtp.command('RCPT TO:<delivered@sandbox.test>');
    await smtp.command('DATA');
    smtp.write(`${mail()}x${sequence}${inner}${mail()}.\r\n`);
    expect(await smtp.reply()).toMatch(/^5\d\d 5\.(5\.2|6\.0) /);
    // The next command is answered as one: nothing else was read as one before it.
    expect(await smtp.command('NOOP')).toMatch(/^250 2\.0\.0 /);
    expect(await world.count()).toBe(before);
    smtp.end();
  });

  test('nor is a lone dot that comes alone, packet by packet', async () => {
    const smtp = await world.session();
    for (const line of ['MAIL FROM:<>', 'RCPT TO:<delivered@sandbox.test>', 'DATA']) await smtp.command(line);
    const content = mail({ body: '.' }).replace('\r\n.\r\n', '\r\n..\r\n');
    for (const byte of content) {
      smtp.write(byte);
      await new Promise((resolve) => setImmediate(resolve));
    }
    smtp.write('.\r\n');
    const id = idIn(await smtp.reply());
    expect((await submissionOf(id)).toString().endsWith('\r\n\r\n.\r\n')).toBe(true);
    smtp.end();
  });
});

describe('hostile conversations', () => {
  test.each([
    ['a bare CR in a command', 'NOOP\rQUIT', /^500 5\.5\.\d /],
    ['a NUL in a path', 'MAIL FROM:<a\0b@client.test>', /^501 5\.1\.7 /],
    ['an escaped line break in a parameter', 'MAIL FROM:<a@client.test> ENVID=a+0D+0Ab', /^501 5\./],
    ['two paths', 'MAIL FROM:<a@client.test> <b@client.test>', /^555 5\.5\.4 /],
    ['a parameter of what is not offered', 'MAIL FROM:<a@client.test> HOLDFOR=60', /^555 5\.5\.4 /],
    ['a login passed on', 'MAIL FROM:<a@client.test> AUTH=<>', /^250 /],
    ['no brackets', 'MAIL FROM:a@client.test', /^501 5\.1\.7 /],
    ['a size that is none', 'MAIL FROM:<a@client.test> SIZE=-1', /^501 5\./],
    ['a command out of turn', 'DATA', /^503 5\.5\.1 /],
    ['something of the web', 'GET / HTTP/1.1', /^421 /],
  ])('%s', async (_name, line, reply) => {
    const smtp = await world.session();
    expect(await smtp.command(line)).toMatch(reply);
    smtp.end();
  });

  test('a command line without an end is cut off', async () => {
    const smtp = await world.session();
    smtp.write('NOOP '.repeat(5_000));
    expect(await smtp.reply()).toMatch(/^421 /);
    await smtp.closed;
  });

  test('lines of a message may be long; its headers may not be endless', async () => {
    const smtp = await world.session();
    const id = idIn(await sendRaw(smtp, mail({ body: 'x'.repeat(100_000) })));
    const { raw } = await world.service.call('GET', `/v1/messages/${id}/raw`);
    expect(
      Math.max(
        ...raw
          .toString()
          .split('\r\n')
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(998);
    expect(await sendRaw(smtp, mail({ headers: [`X-Long: ${'x'.repeat(300_000)}`] }))).toMatch(
      /^554 5\.6\.0 /,
    );
    smtp.end();
  });

  test('too many unknown commands end the session', async () => {
    const smtp = await world.session();
    for (let n = 0; n < 9; n++) expect(await smtp.command('FROB')).toMatch(/^500 /);
    expect(await smtp.command('FROB')).toMatch(/^421 /);
    await smtp.closed;
  });

  test('a client that stalls before a message is let go', async () => {
    const hasty = await openSubmissionWorld({ submission: { timeouts: { idle: 2_000 } } });
    try {
      const silent = await hasty.session();
      expect(await silent.reply()).toMatch(/^421 4\.4\.2 /);
      await silent.closed;
    } finally {
      await hasty.stop();
    }
  });

  test('a client that takes too long over a message is let go', async () => {
    const hasty = await openSubmissionWorld({ submission: { timeouts: { data: 800 } } });
    try {
      const dripping = await hasty.session();
      for (const line of ['MAIL FROM:<>', 'RCPT TO:<delivered@sandbox.test>', 'DATA'])
        await dripping.command(line);
      const timer = setInterval(() => dripping.write('x\r\n'), 50);
      expect(await dripping.reply()).toBe('421 4.4.2 The message took too long');
      clearInterval(timer);
      await dripping.closed;
      expect(await hasty.count()).toBe(0);
    } finally {
      await hasty.stop();
    }
  });

  test('a client that goes in the middle of a message leaves nothing behind', async () => {
    const before = await world.count();
    const smtp = await world.session();
    for (const line of ['MAIL FROM:<>', 'RCPT TO:<delivered@sandbox.test>', 'DATA']) await smtp.command(line);
    smtp.write(mail().slice(0, -10));
    smtp.end();
    await smtp.closed;
    const next = await world.session();
    idIn(await sendRaw(next, mail()));
    expect(await world.count()).toBe(before + 1);
    next.end();
  });
});
