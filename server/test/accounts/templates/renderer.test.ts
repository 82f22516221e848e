import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../support/service.ts';

/** Where templates are parsed and rendered: what takes long never by the thread that answers requests. */
let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

async function makeTemplate(fields: object): Promise<string> {
  const { status, body } = await service.call('POST', '/v1/templates', {
    body: { name: `t${Math.random()}`, subject: 's', ...fields },
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.id;
}

const render = (id: string, variables: object) =>
  service.call('POST', `/v1/templates/${id}/render`, { body: { variables } });

/** Jobs of this kind so far, whatever became of them. */
async function jobs(name: string): Promise<number> {
  const text = await service.services.metrics.text();
  const found = text.matchAll(
    new RegExp(`acuse_thread_jobs_total\\{job="${name}",outcome="\\w+"\\} (\\d+)`, 'g'),
  );
  return [...found].reduce((sum, [, count]) => sum + Number(count), 0);
}

test('an ordinary template is rendered here, at once', async () => {
  const id = await makeTemplate({ text: 'Hello {{ name }}' });
  const answer = await service.send({
    template_id: id,
    variables: { name: 'Ana' },
    subject: undefined,
    text: undefined,
  });
  expect(answer.status).toBe(201);
  expect((await render(id, { name: 'Ana' })).body.text).toBe('Hello Ana');
  expect(await jobs('template-render')).toBe(0);
  expect(await jobs('template-check')).toBe(0);
});

test('one that takes long is rendered in a thread, with the same result or refusal; from then on at once', async () => {
  const text = '{% for i in (1..n) %}{{ i }} {% endfor %}';
  const id = await makeTemplate({ text });
  const before = await jobs('template-render');
  expect((await render(id, { n: 3 })).body.text).toBe('1 2 3 ');
  expect(await jobs('template-render')).toBe(before);
  expect((await render(id, { n: 3_000 })).body.text).toMatch(/ 3000 $/);
  expect(await jobs('template-render')).toBe(before + 1);
  const tooLong = await render(id, { n: 400_000 });
  expect(tooLong.status).toBe(422);
  expect(tooLong.body.error).toMatchObject({
    code: 'template_render_error',
    message: expect.stringMatching(/^text: rendering/),
  });
  const sent = await service.send({
    template_id: id,
    variables: { n: 400_000 },
    subject: undefined,
    text: undefined,
  });
  expect(sent.body.error.code).toBe('template_render_error');
  expect((await render(id, {})).body.error).toMatchObject({
    code: 'template_render_error',
    message: 'text: undefined variable: n, line:1, col:17',
  });
  expect(await jobs('template-render')).toBe(before + 4);
});

test('a long source is parsed in a thread, when it is made and when it is rendered', async () => {
  const text = '{{ a }}\n'.repeat(1_500);
  const before = { check: await jobs('template-check'), render: await jobs('template-render') };
  const id = await makeTemplate({ text });
  expect((await render(id, { a: 'b' })).body.text).toBe('b\n'.repeat(1_500));
  const wrong = await service.call('PATCH', `/v1/templates/${id}`, {
    body: { html: `${text}{{ a | nonsense }}` },
  });
  expect(wrong.status).toBe(400);
  expect(wrong.body.error).toMatchObject({
    code: 'invalid_body',
    message: expect.stringMatching(/undefined filter: nonsense/),
  });
  expect(await jobs('template-check')).toBe(before.check + 2);
  expect(await jobs('template-render')).toBe(before.render + 1);
});

test('variables with more text than any template may make are refused before they go anywhere', async () => {
  const id = await makeTemplate({ text: '{{ a }}' });
  const before = await jobs('template-render');
  const sent = await service.send({
    template_id: id,
    variables: { a: 'x'.repeat(9 * 1024 * 1024) },
    subject: undefined,
    text: undefined,
  });
  expect(sent.status).toBe(422);
  expect(sent.body.error.code).toBe('template_render_error');
  expect(await jobs('template-render')).toBe(before);
});
