import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { acuse } from '../cli/run.ts';
import { type EndedLog, keepBundle, makeEndedLog, sendCertified, untilSealed } from '../support/ended-log.ts';
import type { Service } from '../support/process.ts';

/** Whoever verifies a bundle of a log that has ended is told so, online and offline. */
let log: EndedLog;
let service: Service;
let fresh = '';

beforeAll(async () => {
  log = await makeEndedLog();
  service = await log.start();
  fresh = await sendCertified(service);
  await untilSealed(service, fresh, 1);
  await keepBundle(service, fresh, log.at('fresh.json'));
  writeFileSync(log.at('ended.json'), JSON.stringify((await service.call('GET', '/log/end')).body));
});
afterAll(() => log?.close());

const SAID = /^log sandbox\.test\/log ended at .* with 3 of the 9 leaves .*; sandbox\.test\/log-2 goes on/;
const verify = (name: string, ...more: string[]) => acuse(['verify', log.at(name), ...more]);

test('POST /v1/verify says it among its checks, and of the log that goes on nothing', async () => {
  const ask = async (message_id: string) => (await service.call('POST', '/v1/verify', { message_id })).body;
  for (const id of [log.ids.sealed, log.ids.held]) {
    const { valid, checks } = await ask(id);
    expect(valid).toBe(true);
    expect(checks).toContainEqual({ name: 'log_end', ok: true, detail: expect.stringMatching(SAID) });
  }
  const { valid, checks } = await ask(fresh);
  expect(valid).toBe(true);
  expect(checks.map(({ name }: { name: string }) => name)).not.toContain('log_end');
});

test.each(['sealed', 'delivered', 'lost'])(
  'acuse verify of %s says it, given what /log/end answers',
  async (name) => {
    const given = ['--log-end', log.at('ended.json')];
    const said = await verify(`${name}.json`, ...given, '--json');
    expect([said.code, said.err]).toEqual([5, '']);
    expect(said.json.facts).toMatchObject({
      log_ended_at: expect.any(String),
      log_kept_size: 3,
      log_published_size: 9,
      log_successor: 'sandbox.test/log-2',
    });
    expect((await verify(`${name}.json`, ...given, '--verbose')).out).toMatch(
      /✓ log_end +log sandbox\.test\/log ended at/,
    );
    // Without it, it cannot know.
    expect((await verify(`${name}.json`, '--verbose')).out).not.toContain('log_end');
  },
);

test('of a bundle of another log it says that nothing is said, and a file that is no end is refused', async () => {
  const other = await verify('fresh.json', '--log-end', log.at('ended.json'));
  expect(other).toMatchObject({ code: 5, err: expect.stringContaining('no statement in it is of the log') });
  writeFileSync(log.at('note.txt'), JSON.parse(JSON.stringify((await ended())[0].note)));
  const note = await verify('sealed.json', '--log-end', log.at('note.txt'), '--verbose');
  expect(note).toMatchObject({ code: 5, out: expect.stringContaining('✓ log_end') });
  for (const text of ['hello', '{"ended":7}', '{"ended":[{"note":"acuse/log-end/v1"}]}']) {
    writeFileSync(log.at('bad.json'), text);
    const bad = await verify('sealed.json', '--log-end', log.at('bad.json'), '--json');
    expect([bad.code, bad.json.error.code], text).toEqual([2, 'invalid_log_end']);
  }
});

const ended = async () => (await service.call('GET', '/log/end')).body.ended;
