import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { parseEnv } from 'node:util';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { describe, expect, test } from 'vitest';
import { wrapped } from '../../src/cli/output.ts';
import { askPerson } from '../../src/cli/setup/ask.ts';
import { type Looked, readAnswers, runDialogue } from '../../src/cli/setup/dialogue.ts';
import { accessLines, outsideNames } from '../../src/cli/setup/last-lines.ts';
import type { Answers, Question } from '../../src/cli/setup/question.ts';
import { QUESTIONS } from '../../src/cli/setup/questions.ts';
import { answersToKeep, settingsOf, standingAnswers } from '../../src/cli/setup/settings-of.ts';
import { zoneFile } from '../../src/cli/setup/zone.ts';
import { loadConfig } from '../../src/config/config.ts';
import { changeSettings, settingsPath, withSettingsFile } from '../../src/config/settings-file.ts';
import { acuse } from './run.ts';

/** Answers of somebody who takes every default; `given` in place of them. */
async function answer(given: Answers = {}, more: { standing?: Answers; fixed?: Answers } = {}) {
  const said: string[] = [];
  const asked: string[] = [];
  const result = await runDialogue(QUESTIONS, {
    standing: {},
    fixed: {},
    ...more,
    found: { hostname: 'mail.example.com', addresses: ['192.0.2.11'] },
    async ask({ id }, fallback) {
      asked.push(id);
      return given[id] ?? fallback;
    },
    look: async () => ({}),
    say: (line) => void said.push(line),
    again: false,
    review: async () => null,
  });
  return { ...result, said, asked };
}

const NEEDED = { operator: 'ana@example.com', account: 'Example SA', acme_terms: 'yes' };
const WAYS: readonly Answers[] = [
  NEEDED,
  { ...NEEDED, delivery: 'smarthost', smarthost: 'smtps://me:s%23cret@relay.example:465' },
  { ...NEEDED, proxy: 'loopback' },
  { ...NEEDED, proxy: '10.0.0.0/8', public_url: 'https://acuse.example.com' },
  { ...NEEDED, certificate: 'files', cert_file: '/etc/tls/a b.pem', key_file: '/etc/tls/key.pem' },
  { ...NEEDED, certificate: 'none', database: 'postgresql://acuse:p@db.example/acuse' },
  { ...NEEDED, anchor: '/mnt/a', journal: '/mnt/j', backup: '/mnt/b', backup_keep: '7' },
  { ...NEEDED, anchor: '/mnt/a', mirror: '/mnt/m' },
];

describe('the questions', () => {
  test('each has an id of its own, and explains itself in one line', () => {
    expect(new Set(QUESTIONS.map(({ id }) => id)).size).toBe(QUESTIONS.length);
    for (const { text, why } of QUESTIONS) {
      expect(text.length).toBeLessThanOrEqual(100);
      expect(why.length).toBeLessThanOrEqual(120);
      expect(`${text}${why}`).not.toContain('\n');
    }
  });

  test.each(WAYS)('the settings of %j start a service, and stand when setup is run again', async (given) => {
    const { answers, problems } = await answer(given);
    expect(problems).toEqual([]);
    const settings = settingsOf(answers, '/var/lib/acuse');
    const text = changeSettings('', settings, 'made by a test');
    const read = parseEnv(text);
    expect(loadConfig(read).config).toMatchObject({
      hostname: 'mail.example.com',
      logOrigin: 'mail.example.com/log',
      delivery: answers['delivery'],
    });
    expect(standingAnswers(read, answersToKeep(answers))).toMatchObject(answers);
    const again = await answer({}, { standing: standingAnswers(read, answersToKeep(answers)) });
    expect(again.answers).toEqual(answers);
    expect(changeSettings(text, settingsOf(again.answers, '/var/lib/acuse'), '')).toBe(text);
  });

  test('what was asked for one way is taken back for another', async () => {
    const first = settingsOf((await answer(WAYS[3])).answers, '/d');
    const text = changeSettings('', first, 'x');
    const second = settingsOf((await answer({ ...NEEDED, certificate: 'none' })).answers, '/d');
    const read = parseEnv(changeSettings(text, second, ''));
    for (const name of ['TRUST_PROXY', 'PUBLIC_URL', 'HOST', 'ACME_DIRECTORY', 'ACME_PORT', 'TLS_CERT_FILE'])
      expect(read).not.toHaveProperty(`ACUSE_${name}`);
  });

  test('a mirror is asked for where there is an anchor, in whose bucket it is, and goes with it', async () => {
    const { answers } = await answer({ ...NEEDED, anchor: 's3://evidence/acuse' });
    expect(answers['mirror']).toBe('s3://evidence/acuse');
    const written = changeSettings('', settingsOf(answers, '/d'), 'x');
    const { answers: without, asked } = await answer({ ...NEEDED, anchor: 'none' });
    expect(asked).not.toContain('mirror');
    const read = parseEnv(changeSettings(written, settingsOf(without, '/d'), ''));
    expect(loadConfig(read).config).toMatchObject({ logAnchor: null, logMirror: null });
  });

  test('all that is wrong comes at once, and asks about what follows from it nevertheless', async () => {
    const { problems, asked } = await answer({
      ...{ hostname: 'mail', proxy: 'everybody', certificate: 'files', account: 'A' },
      ...{ cert_file: '/c', key_file: '/k', operator: 'ana', from: 'x@other.example', dns_wait: 'soon' },
    });
    expect(problems.map((problem) => problem.split(':', 1)[0])).toEqual([
      ...['hostname', 'proxy', 'log_origin', 'operator', 'domain', 'from', 'mailbox', 'dns_wait'].filter(
        (id) => problems.some((problem) => problem.startsWith(`${id}:`)),
      ),
    ]);
    for (const id of ['hostname', 'proxy', 'operator', 'from', 'dns_wait'])
      expect(problems.filter((problem) => problem.startsWith(`${id}: expected `))).toHaveLength(1);
    expect(asked).toContain('cert_file');
    expect(asked).not.toContain('acme_directory');
  });

  test('no answer and no default is a problem, and so is a refusal of the terms', async () => {
    const { problems } = await answer({ acme_terms: 'no' });
    expect(problems).toEqual([
      expect.stringMatching(/^acme_terms: an authority issues only to those who agree/),
      'operator: an answer is needed, there is no default',
      'account: an answer is needed, there is no default',
      'mailbox: an answer is needed, there is no default',
    ]);
  });

  test('what the environment sets is said and not asked', async () => {
    const { asked, answers, said } = await answer(NEEDED, { fixed: { database: 'postgresql://u@h/d' } });
    expect(asked).not.toContain('database');
    expect(asked).not.toContain('backup');
    expect(answers['database']).toBe('postgresql://u@h/d');
    expect(said).toEqual(['database: DATABASE_URL is set in the environment, which stays as it is']);
    const named = await answer({ ...NEEDED, domain: 'ex ample' });
    expect(named.problems[0]).toMatch(/^domain: the domain must be a domain name/);
    const bad = await answer(NEEDED, { fixed: { anchor: 's3://' } });
    expect(bad.problems).toEqual([expect.stringMatching(/^ACUSE_LOG_ANCHOR: expected none, or a path/)]);
  });

  test('a person is asked again until the answer can be used', async () => {
    const question = QUESTIONS.find(({ id }) => id === 'backup_keep') as Question;
    const texts = ['many', '0', '7'];
    const said: string[] = [];
    const { answers } = await runDialogue([{ ...question, asked: () => true }], {
      ...{ standing: {}, fixed: {}, found: { hostname: null, addresses: [] } },
      ask: async () => texts.shift(),
      look: async (_id, value) => (value === '7' ? { notes: ['seven'] } : {}),
      say: (line) => void said.push(line),
      again: true,
      review: async () => null,
    });
    expect(answers).toEqual({ backup_keep: '7' });
    expect(said).toEqual([expect.stringContaining('expected'), expect.stringContaining('expected'), 'seven']);
  });
});

describe('somebody at a terminal', () => {
  const STANDING = { ...NEEDED, mailbox: 'ana@example.net' };
  /** Types what `typed` says at each prompt, and Enter once it has ended. */
  async function dialogue(typed: string[], look: (id: string, value: string) => Looked = () => ({})) {
    const input = new PassThrough();
    const output = new PassThrough();
    const left = [...typed];
    const prompts: string[] = [];
    let text = '';
    output.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (!/> (\x1b\[\d+[A-Z])*$/.test(text)) return;
      prompts.push(text);
      text = '';
      setImmediate(() => input.write(`${left.shift() ?? ''}\r`));
    });
    const asker = askPerson(QUESTIONS, input, output);
    const asked: string[] = [];
    const said: string[] = [];
    const result = runDialogue(QUESTIONS, {
      ...{
        standing: STANDING,
        fixed: {},
        found: { hostname: 'mail.example.com', addresses: ['192.0.2.11'] },
      },
      ask: (question, fallback) => {
        asked.push(question.id);
        return asker.ask(question, fallback);
      },
      look: async (id, value) => look(id, value),
      say: (line) => void said.push(line),
      again: true,
      review: (answers) => asker.review(answers, '/d/acuse.env'),
    }).finally(asker.close);
    return { ...(await result), asked, said, prompts };
  }

  /** Every default up to the review. */
  async function enters(): Promise<string[]> {
    return (await dialogue([])).asked.map(() => '');
  }

  test('goes back, as far as to the first question, and Enter keeps what was answered', async () => {
    const { answers, asked, said } = await dialogue([
      ...['back', 'mx.example.com', 'smarthost', 'back', 'back', 'back', '', 'direct'],
    ]);
    expect(said.filter((line) => line === 'this is the first question')).toHaveLength(2);
    expect(asked.slice(0, 9)).toEqual([
      ...['hostname', 'hostname', 'delivery', 'smarthost', 'delivery', 'hostname'],
      ...['hostname', 'delivery', 'address'],
    ]);
    expect(answers).toMatchObject({ hostname: 'mx.example.com', delivery: 'direct' });
    expect(answers).not.toHaveProperty('smarthost');
  });

  test('sees all answers, changes one, and is asked only what follows from it', async () => {
    const { prompts, asked, answers } = await dialogue([
      ...(await enters()),
      'nothing',
      'Delivery',
      'smarthost',
      'smtps://u:p@relay.test',
    ]);
    expect(asked.slice((await enters()).length)).toEqual(['delivery', 'smarthost']);
    expect(answers).toMatchObject({ delivery: 'smarthost', smarthost: 'smtps://u:p@relay.test' });
    expect(answers).not.toHaveProperty('address');
    const [first, refused] = prompts.slice((await enters()).length);
    expect(first).toMatch(/^ {2}hostname +mail\.example\.com\r?$/m);
    expect(first).toContain('They go to /d/acuse.env');
    expect(refused).toContain('a name in the first column');
    expect(prompts.at(-1)).toMatch(/^ {2}smarthost +as you wrote it\r?$/m);
    expect(prompts.at(-1)!.split('Your answers:')[1]).not.toContain('u:p@');
  });

  test('an answer that a change makes wrong is asked for again', async () => {
    let isChanged = false;
    const { asked } = await dialogue(
      [...(await enters()), 'hostname', 'mx.example.com', 'mx.example.com/log'],
      (id, value) => {
        isChanged ||= value === 'mx.example.com';
        return id === 'log_origin' && isChanged && value.startsWith('mail.') ? { problem: 'not yours' } : {};
      },
    );
    expect(asked.slice((await enters()).length)).toEqual(['hostname', 'log_origin']);
  });

  test('no ends it before anything is changed', async () => {
    await expect(dialogue([...(await enters()), 'no'])).rejects.toThrow(
      'stopped before anything was changed',
    );
  });
});

describe('a file of answers', () => {
  test.each([
    ['{', /^not JSON/],
    ['[]', /^expected one JSON object/],
    ['{"hostnam":"a.example"}', /^hostnam: no such question: did you mean hostname\?$/],
    ['{"zzzzzzzz":"a"}', /^zzzzzzzz: no such question; acuse setup --questions lists them$/],
    ['{"account":{"name":"A"}}', /^account: expected a text$/],
  ])('%s is refused', (text, problem) => {
    expect(readAnswers(text, QUESTIONS).problems).toEqual([expect.stringMatching(problem)]);
  });

  test('numbers and true are answers', () => {
    const { answers } = readAnswers('{"backup_keep":7,"acme_terms":true}', QUESTIONS);
    expect(answers).toEqual({ backup_keep: '7', acme_terms: 'yes' });
  });
});

describe('the last lines', () => {
  const tenantId = '0190a6c2-7f3e-7c55-9d0a-3f1b2c4d5e6f';
  const shown = (operatorLink: string | null, made: { key: string; ownerLink: string } | null) =>
    accessLines({ tenantId, operatorLink, made }, NEEDED, './acuse').flat().join('\n');

  test('are the key and the links', () => {
    const text = shown('https://a.example/1', { key: 'acuse_k', ownerLink: 'https://p.example/2' });
    for (const one of ['https://a.example/1', 'https://p.example/2', 'acuse_k']) expect(text).toContain(one);
  });

  test('name the commands that make new ones where they were given earlier', () => {
    const text = shown(null, null);
    expect(text).toContain('./acuse operators link ana@example.com');
    expect(text).toContain('./acuse users link ana@example.com');
    expect(text).toContain(`./acuse keys create --tenant ${tenantId} --name `);
  });

  test('name what the service reads of the environment, and nothing else', () => {
    const names = ['PATH', 'ACUSE_PORT', 'HOME', 'DATABASE_URL', 'NODE_EXTRA_CA_CERTS', 'ACUSE_SECRET_PSC'];
    expect(outsideNames(names)).toEqual([
      ...['ACUSE_PORT', 'ACUSE_SECRET_PSC', 'DATABASE_URL', 'NODE_EXTRA_CA_CERTS'],
    ]);
  });
});

test('a line breaks at spaces and keeps its indent; a word too long for it stays whole', () => {
  expect(wrapped('  several: separated by commas', 20)).toEqual(['  several: separated', '  by commas']);
  expect(wrapped('see https://mail.example.com/dir', 10)).toEqual(['see', 'https://mail.example.com/dir']);
  expect(wrapped('as it is', undefined)).toEqual(['as it is']);
});

describe('the settings file', () => {
  test('is changed where it says something, and keeps the rest', () => {
    const text =
      '# mine\nACUSE_PORT=9000\n\nACUSE_HOSTNAME=old.example\nACUSE_HOSTNAME=older.example\n# end\n';
    const changed = changeSettings(
      text,
      { ACUSE_HOSTNAME: 'new.example', ACUSE_LOG_ANCHOR: null, ACUSE_LOG_LEVEL: 'warn' },
      'never written',
    );
    expect(changed).toBe(
      '# mine\nACUSE_PORT=9000\n\nACUSE_HOSTNAME=new.example\n# end\nACUSE_LOG_LEVEL=warn\n',
    );
    expect(changeSettings(changed, { ACUSE_PORT: null }, '')).not.toContain('9000');
  });

  test.each(['a b', 'p#ss$HOME', '"quoted"', 'back\\slash', '`id`', 'Acuse <portal@example.com>', 'ñ'])(
    '%s is read as it was written',
    (value) => {
      expect(parseEnv(changeSettings('', { X: value }, 'h'))).toEqual({ X: value });
    },
  );

  test('a value that readers would not read alike is refused', () => {
    expect(() => changeSettings('', { X: "it's" }, 'h')).toThrow(RangeError);
    expect(() => changeSettings('', { X: 'a\nB=c' }, 'h')).toThrow(RangeError);
  });

  test('adds to the environment, which wins; an empty variable counts as absent', () => {
    const ACUSE_DATA_DIR = tempFolder();
    const env = { ACUSE_DATA_DIR, ACUSE_PORT: '1', ACUSE_HOSTNAME: ' ' };
    expect(settingsPath(env)).toBe(join(ACUSE_DATA_DIR, 'acuse.env'));
    expect(withSettingsFile(env)).toBe(env);
    writeFileSync(join(ACUSE_DATA_DIR, 'acuse.env'), 'ACUSE_PORT=2\nACUSE_HOSTNAME=mail.example\n');
    expect(withSettingsFile(env)).toEqual({
      ACUSE_DATA_DIR,
      ACUSE_PORT: '1',
      ACUSE_HOSTNAME: 'mail.example',
    });
  });
});

test('the zone file has every record, long ones in strings that a server takes', () => {
  const key = `v=DKIM1; k=rsa; p=${'A'.repeat(390)}`;
  const text = zoneFile({
    hostname: 'mail.example.com',
    addresses: ['192.0.2.11', '2001:db8::11'],
    domain: 'example.com',
    records: [
      { type: 'TXT', name: 's1._domainkey.example.com', value: key },
      { type: 'CNAME', name: 'bounce.example.com', value: 'mail.example.com' },
    ],
  });
  expect(text).toContain('mail.example.com. 3600 IN A 192.0.2.11\n');
  expect(text).toContain('mail.example.com. 3600 IN AAAA 2001:db8::11\n');
  expect(text).toContain('IN TXT "v=spf1 ip4:192.0.2.11 ip6:2001:db8::11 -all"\n');
  expect(text).toContain('; 11.2.0.192.in-addr.arpa. 3600 IN PTR mail.example.com.\n');
  expect(text).toContain('bounce.example.com. 3600 IN CNAME mail.example.com.\n');
  const [, first, second] = /_domainkey\.example\.com\. 3600 IN TXT "([^"]*)" "([^"]*)"\n/.exec(text)!;
  expect(first).toHaveLength(255);
  expect(`${first}${second}`).toBe(key);
});

test('without a terminal and without answers it says what to do, and changes nothing', async () => {
  const said = await acuse(['setup'], { ACUSE_DATA_DIR: tempFolder() });
  expect(said.code).toBe(2);
  expect(said.err).toMatch(/^acuse: setup asks at a terminal: .*--answers/);
});
