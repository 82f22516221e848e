import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../src/platform/ids.ts';
import { type Person, signedIn } from '../../support/people.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { HTML, PNG, REMOTE, sendHostile } from './hostile-message.ts';

/** A message in a frame, and a template. */
let service: TestService;
let viewer: Person;
let message: string;
beforeAll(async () => {
  service = await startTestService();
  viewer = await signedIn(service, service.account.tenantId, 'viewer');
  message = await sendHostile(service);
});
afterAll(() => service?.stop());

const preview = (query = '', id = message) => viewer.call('GET', `/messages/${id}/preview${query}`);

describe('a preview', () => {
  test('carries a policy of its own, and the images of the message', async () => {
    const answer = await preview();
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(answer.headers['content-security-policy']).toBe(
      "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'none'; frame-ancestors 'self'",
    );
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.raw.toString()).toContain(`src="data:image/png;base64,${PNG}"`);
    expect(answer.raw.toString()).not.toMatch(/evil\.test\/(?!link|import)/);
  });

  test('loads remote images only when that is asked for', async () => {
    const answer = await preview('?images=1');
    expect(answer.headers['content-security-policy']).toContain('img-src data: https:;');
    expect(answer.raw.toString()).toContain(`src="${REMOTE}/image.png"`);
  });

  test('shows the text as text', async () => {
    expect((await preview('?part=text')).raw.toString()).toContain('<pre>Plain &lt;b&gt;text&lt;/b&gt;');
  });

  test('is refused for what there is not', async () => {
    const plain = (await service.send({})).body.id;
    expect((await preview('?part=html', plain)).body.error.code).toBe('not_found');
    expect((await preview('', plain)).raw.toString()).toContain('<pre>Hello Ana');
    expect((await preview('', newId())).status).toBe(404);
    expect((await preview('?part=pdf')).body.error.code).toBe('invalid_parameter');
    expect((await preview('?images=2')).body.error.code).toBe('invalid_parameter');
  });
});

describe('a preview of a template', () => {
  const draft = (body: object) => viewer.call('POST', '/templates/preview', body);
  const variables = { name: '<b>Ana</b>' };

  test('is rendered, and its HTML is a page that can only be looked at', async () => {
    const { status, body } = await draft({
      subject: 'Hi {{ name }}',
      html: `${HTML}<p>{{ name }}</p>`,
      variables,
    });
    expect(status).toBe(200);
    expect([body.subject, body.text]).toEqual(['Hi <b>Ana</b>', null]);
    expect(body.html).toContain('<p>&lt;b&gt;Ana&lt;/b&gt;</p>');
    expect(body.html).not.toMatch(/evil\.test\/(?!link|import)|<script|<form|<iframe|onload/);
  });

  test('keeps remote images only when that is asked for', async () => {
    const { body } = await draft({ subject: 'Hi', html: HTML, images: true });
    expect(body.html).toContain(`src="${REMOTE}/image.png"`);
    expect(body.html).not.toMatch(/<script|<link|<meta http-equiv/);
  });

  test('says what cannot be rendered, and where', async () => {
    const { status, body } = await draft({ subject: 'Hi', text: 'Dear\n{{ nme }}', variables });
    expect([status, body.error.code]).toEqual([422, 'template_render_error']);
    expect(body.error.message).toMatch(/^text: undefined variable: nme, line:2, col:4: did you mean name\?$/);
    expect((await draft({ subject: 'Hi' })).body.error.code).toBe('invalid_body');
  });

  test('leaves nothing in the audit log: it changes nothing', async () => {
    const owner = await signedIn(service, service.account.tenantId, 'owner');
    const source = { subject: 'Hi {{ name }}', text: 'Hello', variables };
    for (const path of ['/templates/preview', '/templates/render'])
      expect((await owner.call('POST', path, source)).status).toBe(200);
    const { body } = await owner.call('GET', '/audit');
    expect(body.data.filter(({ action }: { action: string }) => action.includes('template'))).toEqual([]);
  });

  test('of many letters is made in a thread, and is the same', async () => {
    const { body } = await draft({ subject: 'Hi', html: `<p>${'a'.repeat(300_000)}</p>${HTML}` });
    expect(body.html).toContain('<h1>Factura</h1>');
    expect(body.html).not.toContain('<script');
  });
});
