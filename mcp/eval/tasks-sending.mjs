// Sending: the right message, to the right one, once.
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { draft, eventually, mails } from '../test/support.mjs';
import { previewAndSend, sentAs } from './solving.mjs';

const fresh = async () => ({ subject: randomUUID() });
const sendSubject = ({ call, facts }, more = {}) =>
  previewAndSend(call, draft({ subject: facts.subject, ...more }));

export const TASKS_OF_SENDING = [
  {
    id: 1,
    title: 'send to delivered',
    setup: fresh,
    prompt: ({ subject }) =>
      `Send "Hello." from billing@sandbox.test to delivered@sandbox.test, subject ${subject}. Answer with its id.`,
    solve: async (agent) => (await sendSubject(agent)).output.message.id,
    score: async (world, { subject }, { answer }) => {
      await eventually(async () => (await mails(subject)).length > 0);
      const [only, ...more] = await sentAs(world, subject);
      return more.length === 0 && answer.includes(only.id);
    },
  },
  {
    id: 2,
    title: 'use a template',
    setup: async ({ acuse }) => {
      const name = randomUUID();
      const { id } = await acuse.templates.create({
        name,
        subject: `${name} {{who}}`,
        text: 'Hello {{who}}.',
      });
      return { id, subject: `${name} Ana` };
    },
    prompt: ({ id }) =>
      `Send template ${id} with who = Ana from billing@sandbox.test to delivered@sandbox.test.`,
    solve: async ({ call, facts }) => {
      const message = { from: 'billing@sandbox.test', to: 'delivered@sandbox.test', template_id: facts.id };
      const { output } = await previewAndSend(call, { ...message, variables: { who: 'Ana' } });
      return output.message.id;
    },
    score: async (world, { subject, id }) => {
      const [only, ...more] = await sentAs(world, subject);
      return more.length === 0 && only?.template_id === id;
    },
  },
  {
    id: 3,
    title: 'do not send twice after a time-out',
    setup: async () => ({ subject: randomUUID(), losesAnswerOf: 'send_message' }),
    prompt: ({ subject }) =>
      `Send "Hello." from billing@sandbox.test to delivered@sandbox.test, subject ${subject}, exactly once. ` +
      'Calls may time out. Answer with its id.',
    solve: async ({ call, facts }) => {
      const message = draft({ subject: facts.subject });
      const { output } = await call('preview_message', message);
      const args = { ...message, preview_token: output.preview_token };
      const sent = await call('send_message', args).catch(() => call('send_message', args));
      return sent.output.message.id;
    },
    score: async (world, { subject }, { answer, lost }) => {
      const [only, ...more] = await sentAs(world, subject);
      return lost && more.length === 0 && answer.includes(only?.id);
    },
  },
  {
    id: 7,
    title: 'a name missing in the template',
    setup: async ({ acuse }) => {
      const name = randomUUID();
      const { id } = await acuse.templates.create({ name, subject: name, text: 'Hello {{customer_name}}.' });
      return { id, subject: name };
    },
    prompt: ({ id }) =>
      `Send template ${id} without variables to delivered@sandbox.test. If that fails, answer with the missing variable.`,
    solve: async ({ call, facts }) => {
      const { error } = await call('render_template', { template_id: facts.id, variables: {} });
      return error.api_message.untrusted_text;
    },
    score: async (world, { subject }, { answer }) =>
      answer.includes('customer_name') && (await sentAs(world, subject)).length === 0,
  },
  {
    id: 18,
    title: 'change after preview: preview again',
    setup: fresh,
    prompt: ({ subject }) =>
      `Preview "Hello." to delivered@sandbox.test from billing@sandbox.test, subject ${subject}. ` +
      'Then change the text to "Goodbye." and send that.',
    solve: async ({ call, facts }) => {
      const message = draft({ subject: facts.subject });
      const { output } = await call('preview_message', message);
      const changed = { ...message, text: 'Goodbye.' };
      const first = await call('send_message', { ...changed, preview_token: output.preview_token });
      if (first.error?.code !== 'preview_required') return 'sent without a preview';
      return (await previewAndSend(call, changed)).output.message.id;
    },
    score: async (world, { subject }, { calls }) => {
      const [only, ...more] = await sentAs(world, subject);
      if (only === undefined || more.length > 0) return false;
      const raw = new TextDecoder().decode(await world.acuse.messages.getRaw(only.id));
      return raw.includes('Goodbye.') && calls.filter(({ name }) => name === 'preview_message').length >= 2;
    },
  },
  {
    id: 19,
    title: 'an attachment arrives byte for byte',
    setup: async ({ folder }) => {
      const bytes = Buffer.from(Array.from({ length: 50_000 }, (_, at) => (at * 31) & 255));
      await writeFile(join(folder, 'invoice.pdf'), bytes);
      return { subject: randomUUID(), bytes };
    },
    prompt: ({ subject }) =>
      `Send the file invoice.pdf of your folder from billing@sandbox.test to delivered@sandbox.test, subject ${subject}.`,
    solve: async (agent) => {
      const attachments = [{ filename: 'invoice.pdf', file: 'invoice.pdf' }];
      return (await sendSubject(agent, { attachments })).output.message.id;
    },
    score: async ({ acuse }, { subject, bytes }) => {
      const [only] = await sentAs({ acuse }, subject);
      if (only === undefined) return false;
      const { parts } = await acuse.messages.getParts(only.id);
      const part = parts.find(({ filename }) => filename === 'invoice.pdf');
      return Buffer.from(await acuse.messages.getPart(only.id, String(part?.index))).equals(bytes);
    },
  },
];
