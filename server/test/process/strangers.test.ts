import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { eventually } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { acuse } from '../cli/run.ts';
import { createProcesses, type Service } from '../support/process.ts';

/** A running service, looked at by programs that it had no hand in. */
const CONTRACT = resolve(import.meta.dirname, '../../../contract');
const processes = createProcesses();
let service: Service;
/** The outcome of each message, by how its recipient behaves. */
const OUTCOMES = {
  delivered: ['sent'],
  bounced: ['bounced'],
  complained: ['sent', 'complained'],
  'async-bounced': ['sent', 'bounced'],
} as const;
const ids = new Map<string, string>();
const promises: string[] = [];

beforeAll(async () => {
  service = await processes.start({ databaseUrl: await processes.database() });
  for (const behaviour of Object.keys(OUTCOMES)) {
    const attachments = [{ filename: 'año.txt', content_type: 'text/plain', content: 'aG9sYQo=' }];
    const sent = await service.send({ to: `${behaviour}@sandbox.test`, certified: true, attachments });
    ids.set(behaviour, sent.body.id);
    const path = join(service.dataDir, `promise-${behaviour}`);
    writeFileSync(path, sent.body.promise);
    promises.push('--promise', path);
  }
});
afterAll(processes.end);

const missing = [
  ['python3', '--version'],
  ['openssl', 'version'],
].flatMap(([program, option]) => (spawnSync(program!, [option!]).status === 0 ? [] : [program]));

describe.skipIf(missing.length > 0)(
  `the second verifier${missing.length > 0 ? ` (no ${missing.join(' and no ')} here)` : ''}`,
  () => {
    test.each(Object.entries(OUTCOMES))(
      'takes the bundle of a message that was %s, with its outcomes',
      async (behaviour, kinds) => {
        const id = ids.get(behaviour)!;
        await eventually(async () => {
          const { status, body } = await service.call('GET', `/v1/messages/${id}/evidence`);
          const sealed =
            status === 200 ? body.delivery.filter((one: { sealed_at: string | null }) => one.sealed_at) : [];
          return sealed.map((one: { kind: string }) => one.kind).join() === kinds.join();
        });
        for (const accept of ['application/zip', 'application/json']) {
          const path = join(service.dataDir, `bundle.${accept.split('/')[1]}`);
          writeFileSync(path, await bundleOf(id, accept));
          const { stdout, stderr } = spawnSync('python3', [join(CONTRACT, 'vectors/check.py'), path], {
            encoding: 'utf8',
          });
          expect(stdout, accept + stderr).toBe('valid\n');
          expect(stderr, accept).toMatch(/^Trust was taken from the bundle itself/);
        }
      },
    );
  },
);

test('the monitor finds every promise kept and a constancia over every checkpoint, under authorities that it pins', async () => {
  const id = ids.get('delivered')!;
  const trust = join(service.dataDir, 'policy.json');
  const { entries } = JSON.parse((await bundleOf(id, 'application/json')).toString());
  writeFileSync(trust, entries.find((entry: { name: string }) => entry.name === 'policy.json').text);
  const state = join(service.dataDir, 'monitor.json');
  const look = () =>
    acuse([
      'monitor',
      `${service.baseUrl}/log`,
      ...['--key', service.sandbox.log_key, '--state', state, '--trust', trust, '--json'],
      ...promises,
    ]);
  await eventually(async () => {
    const { code, json } = await look();
    expect([code, json.alerts]).toEqual([0, []]);
    return json.promises.kept === promises.length / 2 && json.constancias.open === 0;
  });
  expect((await look()).json).toMatchObject({
    constancias: { trust: 'pinned', newest: { development: true } },
  });
});

async function bundleOf(id: string, accept: string): Promise<Buffer> {
  const answer = await fetch(`${service.baseUrl}/v1/messages/${id}/proof-bundle`, {
    headers: { authorization: `Bearer ${service.sandbox.api_key}`, accept },
  });
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}
