// Finding out: what happened to a message, and what is proven of it.
import { randomUUID } from 'node:crypto';
import { copyFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { draft, eventually } from '../test/support.mjs';
import { message } from './solving.mjs';

const BUNDLES = fileURLToPath(new URL('../../contract/vectors/bundles', import.meta.url));
const BROKEN = 'broken/proof-of-another-leaf.zip';

const sent = async ({ acuse }, fields) => (await acuse.messages.send(draft(fields))).message;
const arrived = ({ acuse }, id, status) =>
  eventually(async () => {
    const each = await acuse.messages.get(id);
    return each.status === status && each;
  });

export const TASKS_OF_EVIDENCE = [
  {
    id: 4,
    title: 'find why a message bounced',
    setup: async (world) => {
      const { id } = await sent(world, { to: 'bounced@sandbox.test' });
      return { id, code: (await arrived(world, id, 'bounced')).last_reply.code };
    },
    prompt: ({ id }) => `Why did message ${id} bounce? Answer with the reply code.`,
    solve: async ({ call, facts }) =>
      `reply code ${(await call('get_message', { message_id: facts.id })).output.message.last_reply.code}`,
    score: async (_world, { code }, { answer }) => answer.includes(String(code)),
  },
  {
    id: 8,
    title: 'save and verify a bundle',
    setup: async (world) => {
      const { id } = await sent(world, { certified: true });
      await world.acuse.evidence.waitUntilSealed(id);
      return { id };
    },
    prompt: ({ id }) =>
      `Save the proof bundle of ${id} and verify it offline, with trust "bundle". What is the verdict?`,
    solve: async ({ call, facts }) => {
      const { output } = await call('get_proof_bundle', { message_id: facts.id });
      return (await call('verify_bundle', { file: output.file, trust: 'bundle' })).output.verdict;
    },
    score: async ({ folder }, { id }, { answer }) =>
      /\bunproven\b/.test(answer) && (await readdir(folder)).some((name) => name.includes(id)),
  },
  {
    id: 9,
    title: 'detect a broken bundle and its check',
    setup: async ({ folder }) => {
      await copyFile(join(BUNDLES, BROKEN), join(folder, 'received.zip'));
      const { cases } = JSON.parse(await readFile(`${BUNDLES}.json`, 'utf8'));
      return { failed: cases.find(({ file }) => file === BROKEN).failed };
    },
    prompt: () => 'Verify received.zip of your folder with trust "bundle". Which check fails first?',
    solve: async ({ call }) =>
      (await call('verify_bundle', { file: 'received.zip', trust: 'bundle' })).output.first_failed,
    score: async (_world, { failed }, { answer }) => failed.some((name) => answer.includes(name)),
  },
  {
    id: 10,
    title: 'plain message: say it has no proof',
    setup: (world) => sent(world, { certified: false }),
    prompt: ({ id }) => `Give me the proof of message ${id}. If it has none, answer "no proof".`,
    solve: async ({ call, facts }) => {
      const { error } = await call('get_evidence', { message_id: facts.id });
      const { output } = await call('get_message', { message_id: facts.id });
      return error?.code === 'missing_proof_data' && !output.message.certified ? 'no proof' : 'unclear';
    },
    score: async (_world, _facts, { answer }) => /no proof/i.test(answer),
  },
  {
    id: 11,
    title: 'wait for sealing',
    setup: (world) => sent(world, { certified: true }),
    prompt: ({ id }) => `When was message ${id} sealed? It was just sent: wait for it.`,
    solve: async ({ call, facts }) =>
      (await message(call, facts.id, ({ sealed_at }) => sealed_at !== null)).sealed_at,
    score: async ({ acuse }, { id }, { answer }) =>
      answer.includes((await acuse.messages.get(id)).sealed_at ?? '?'),
  },
  {
    id: 12,
    title: "last week's bounce rate",
    setup: async (world) => {
      const { id } = await sent(world, { to: 'bounced@sandbox.test' });
      await arrived(world, id, 'bounced');
      return {};
    },
    prompt: () => 'What was the bounce rate of the last 7 days, today included? Answer with the fraction.',
    solve: async ({ call }) => String((await call('get_rates', { days: 7 })).output.rates.bounce),
    score: async ({ acuse }, _facts, { answer }) => {
      const { rates } = await acuse.rates.get({ days: 7 });
      return Math.abs(Number.parseFloat(answer) - rates.bounce) < 0.02;
    },
  },
  {
    id: 13,
    title: 'list the complaints of a tag',
    setup: async (world) => {
      const tag = randomUUID();
      const { id } = await sent(world, { to: 'complained@sandbox.test', tags: [tag] });
      await sent(world, { tags: [tag] });
      await arrived(world, id, 'complained');
      return { id, tag };
    },
    prompt: ({ tag }) => `Which messages with tag ${tag} were complained about? Answer with their ids.`,
    solve: async ({ call, facts }) => {
      const { output } = await call('list_messages', { tag: facts.tag, status: ['complained'] });
      return output.messages.map(({ id }) => id).join(' ');
    },
    score: async (_world, { id }, { answer }) => answer.trim() === id,
  },
];
