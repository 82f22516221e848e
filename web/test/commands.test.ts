import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { commandsOf } from '../admin/src/shell/commands.ts';
import { CALLS } from './support/console-calls.ts';
import { hasBrowser, type Portal, startPortal } from './support/portal.ts';

function builtCommand(): string {
  const program = inject('serverProgram');
  if ('error' in program) throw new Error(`the server does not build: ${program.error}`);
  return program.path;
}

/**
 * What a shown line says when a shell runs it where the service is misconfigured: that, once the command line
 * itself is right, and no command goes further.
 */
async function said(line: string): Promise<string> {
  const script = `acuse() { "$NODE" "$ACUSE" "$@"; }\n${line}`;
  const env = {
    ...{
      PATH: process.env['PATH'] ?? '',
      NODE: process.execPath,
      ACUSE: builtCommand(),
      EMAIL: 'ana@example.com',
    },
    ACUSE_PORT: 'none',
  };
  return promisify(execFile)('sh', ['-c', script], { env }).then(
    ({ stdout }) => stdout,
    ({ stderr }: { stderr: string }) => stderr,
  );
}

describe('the commands that the console shows', () => {
  const shown = CALLS.flatMap((each) => commandsOf(each).map((line) => ({ line })));

  test('the command line takes each of them, as a shell hands it on', async () => {
    const answers: string[] = [];
    const waiting = [...shown];
    const runSome = async () => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
        answers.push(`${next.line}: ${await said(next.line)}`);
    };
    await Promise.all([runSome(), runSome(), runSome()]);
    expect(answers).toHaveLength(shown.length);
    expect(answers.filter((answer) => !answer.includes('ACUSE_PORT'))).toEqual([]);
    expect(await said('acuse queue lits')).toContain('unknown command');
    expect(await said('acuse queue list --bye=age')).toContain('unknown option');
  });
});

describe.skipIf(!hasBrowser)('the same as code in the console (skipped: needs chromium)', () => {
  let portal: Portal;
  beforeAll(async () => {
    portal = await startPortal();
  });
  afterAll(() => portal?.stop());

  test.each([
    { locale: 'en-US', title: 'The same as code', none: 'No command does what this page does.' },
    { locale: 'es-MX', title: 'Lo mismo en código', none: 'Ningún comando hace lo que hace esta página.' },
  ])('a page shows its commands, and one without says so ($locale)', async ({ locale, title, none }) => {
    const { page, visit, close } = await portal.asOperator({ locale });
    await visit('/queue?by=tenant');
    await page.getByRole('button', { name: title }).click();
    await page.getByRole('dialog').getByText('acuse queue list --by=tenant', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await visit('/billing');
    await page.getByRole('button', { name: title }).click();
    await page.getByRole('dialog').getByText(none).waitFor();
    await close();
  });
});
