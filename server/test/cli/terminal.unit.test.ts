import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { banner } from '../../src/app/banner.ts';
import { type Command, CommandError, defineCommand, EXIT } from '../../src/cli/command.ts';
import { createOutput, facts, table, textOf } from '../../src/cli/output.ts';
import { messageAnswer } from '../../src/cli/queue-text.ts';
import { runCommandLine } from '../../src/cli/run.ts';
import { verificationText } from '../../src/cli/verification-text.ts';
import { reportText } from '../../src/evidence/monitor/report.ts';
import { jsonForTerminal, lineForTerminal } from '../../src/platform/terminal.ts';

/** One of each kind that a stranger may put into what an operator reads. */
const HOSTILE = [
  '\u001b]0;owned\u0007',
  '\u001b[2J',
  '\r',
  '\nacuse: clean',
  '\t',
  '\0',
  '\u007f',
  '\u009b31m',
  '\u0085',
  '\u202egpj.exe',
  '\u2066',
  '\u2069',
  '\u200e',
  '\u200f',
  '\u061c',
  '\u2028',
  '\u2029',
  '\u200b',
  '\u200d',
  '\u2060',
  '\ufeff',
  '\u00ad',
  '\ud800',
  '\udfff',
  '\u{e0041}',
];
const ALL = HOSTILE.join('x');
/** Characters that may reach a terminal: printable ones, and line ends of ours. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

function streams() {
  const said = { out: '', err: '' };
  const to = (name: 'out' | 'err') =>
    new Writable({
      decodeStrings: false,
      write(chunk, _encoding, done) {
        said[name] += chunk;
        done();
      },
    });
  return { said, stdout: to('out'), stderr: to('err') };
}

function expectLines(text: string, count: number): void {
  expect(text.endsWith('\n')).toBe(true);
  const lines = text.slice(0, -1).split('\n');
  expect(lines.filter((line) => UNSAFE.test(line))).toEqual([]);
  expect(lines).toHaveLength(count);
}

describe('text of strangers', () => {
  test.each(HOSTILE)('%j is one line of printable characters', (text) => {
    expect(lineForTerminal(`a${text}b`)).toMatch(/^[ -~]+$/);
    expect(JSON.parse(jsonForTerminal([`a${text}b`]))).toEqual([`a${text}b`]);
    expect(jsonForTerminal(text)).toMatch(/^[ -~]+$/);
  });

  test('what is meant to be read stays as it is', () => {
    const text = 'Añadió “Peña” — 日本語 👋 привет';
    expect(lineForTerminal(text)).toBe(text);
    expect(jsonForTerminal({ text })).toBe(JSON.stringify({ text }));
  });

  test('a table keeps its columns, and a list its lines', () => {
    const text = textOf(
      table(
        ['A', 'B'],
        [
          [`x\u001b[2J`, 'one'],
          ['日', 'two\nthree'],
        ],
        '',
      ),
    );
    expect(text).toBe(['A         B', 'x\\x1b[2J  one', '日         two\\nthree'].join('\n'));
    expect(textOf(facts([['a', 'b\nc']]))).toBe('a  b\\nc');
  });
});

describe('no command writes anything else', () => {
  test('answers, progress, notes and JSON', () => {
    for (const json of [false, true]) {
      const { said, stdout, stderr } = streams();
      const out = createOutput(json, stdout, stderr);
      out.answer({ value: ALL }, () => [ALL, ['', table(['A'], [[ALL]], ''), facts([['a', ALL]])]]);
      out.note(ALL);
      expectLines(said.out, json ? 1 : 5);
      expectLines(said.err, 1);
    }
  });

  const failing = defineCommand({
    name: 'fail',
    summary: 'fails',
    args: [{ name: 'what', doc: 'echoed' }],
    examples: [],
    async run({ args }) {
      throw new CommandError(EXIT.usage, 'usage', `not "${args[0]}": ${ALL}`);
    },
  });
  test.each([['fail', ALL], ['fail', ALL, '--json'], [ALL], ['fail', `--${ALL}`], ['fail', 'a', ALL]])(
    'error messages and what they repeat of the command line: %j',
    async (...argv) => {
      const { said, stdout, stderr } = streams();
      await runCommandLine(argv, [failing as Command], { stdout, stderr, env: {}, version: '0' });
      expectLines(said.out + said.err, 1);
    },
  );

  test('queue show: what servers answered', () => {
    const at = new Date();
    const message = {
      message_id: 'm',
      tenant_id: 't',
      tenant_name: ALL,
      source_pool: null,
      status: 'deferred' as const,
      recipient: ALL,
      created_at: at,
      since: at,
      attempts: 1,
      last_reply: { code: 451, enhanced: null, text: ALL, mx: ALL },
      sandbox: false,
      queue: null,
    };
    const shown = {
      message,
      tenantPause: null,
      cap: null,
      destinationPause: null,
      windows: [],
      dueBefore: 0,
      why: [`Last reply after one attempt: 451 ${ALL} (${ALL}).`],
    };
    const { said, stdout, stderr } = streams();
    const { answer, text } = messageAnswer(shown as never);
    createOutput(false, stdout, stderr).answer(answer, () => text);
    expectLines(said.out, 7);
  });

  test('verify, monitor and the banner', () => {
    const { said, stdout, stderr } = streams();
    const out = createOutput(false, stdout, stderr);
    out.answer(null, () =>
      verificationText(
        {
          valid: false,
          verdict: 'rejected',
          reasons: [{ name: 'zip', detail: ALL }],
          warnings: [{ name: 'clock', detail: ALL }],
          checks: [{ name: 'zip', ok: false, detail: ALL }],
          facts: { message_id: ALL },
          documents: [{ name: 'report.pdf', detail: ALL }],
          eml: null,
        } as never,
        { verbose: true },
      ),
    );
    out.answer(null, () =>
      reportText({
        checked_at: 'now',
        log: ALL,
        status: 'alert',
        checkpoint: null,
        promises: { kept: 0, open: 0, broken: 0 },
        constancias: { newest: null, trust: 'log' },
        witnesses: [{ name: ALL, size: 1, witnessed_at: 'now' }],
        unknown_cosignatures: 0,
        alerts: [{ code: 'fork', detail: ALL }],
        incidents: [],
      } as never),
    );
    stdout.write(
      banner({
        version: '0',
        baseUrl: ALL,
        roles: [],
        delivery: ALL,
        database: ALL,
        dataDir: ALL,
        sandbox: null,
        admin: { url: ALL, signIn: ALL, hasNobody: true },
        ownUrl: ALL,
        command: ALL,
        recovering: false,
        managed: false,
        authorities: [ALL],
        ports: { submission: null, submissions: null, returnPath: null },
        warnings: [ALL],
      }),
    );
    for (const line of said.out.split('\n')) expect(line).not.toMatch(UNSAFE);
    expect(said.out.split('\n').filter((line) => line.startsWith('acuse: clean'))).toEqual([]);
  });

  test('nothing of the server writes to a terminal but through output.ts', () => {
    const src = fileURLToPath(new URL('../../src/', import.meta.url));
    const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.ts'),
    );
    const writers = files.filter((path) => {
      const text = readFileSync(join(src, path), 'utf8');
      return /\bconsole\.\w|process\.(?:stdout|stderr)\.write|\b(?:stdout|stderr)\.write\(/.test(text);
    });
    // The banner, whose lines are escaped where they are made.
    expect(writers.sort()).toEqual(['app/main.ts', 'cli/output.ts'].filter((path) => writers.includes(path)));
    expect(writers).toContain('app/main.ts');
  });
});
