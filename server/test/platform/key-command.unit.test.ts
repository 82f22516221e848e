import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { expect, test } from 'vitest';
import { askKeyCommand, askKeyCommandAtOnce } from '../../src/config/key-command.ts';
import { readGivenKeys } from '../../src/config/master-key.ts';

/** Limits of a program that prints the master key, and the error of one that fails. */

const folder = tempFolder();
const KEY = Buffer.alloc(32, 7).toString('base64');
const OLD = Buffer.alloc(32, 8).toString('base64');
let made = 0;

function program(lines: string, mode = 0o700): string {
  const path = join(folder, `command-${made++}`);
  writeFileSync(path, `#!/bin/sh\n${lines}\n`);
  chmodSync(path, mode);
  return path;
}

/** Of both ways to ask. */
async function answers(path: string, limitMs?: number): Promise<unknown[]> {
  const said = (error: unknown) => (error as Error).message;
  const atOnce = (() => {
    try {
      return askKeyCommandAtOnce(path, limitMs);
    } catch (error) {
      return said(error);
    }
  })();
  return [atOnce, await askKeyCommand(path, limitMs).catch(said)];
}

test.each([
  ['one', `echo ${KEY}`, 1],
  ['without a line end', `printf %s ${KEY}`, 1],
  ['two, in lines', `echo ${KEY}; echo ${OLD}`, 2],
  ['two, with a comma', `echo '${KEY},${OLD}'`, 2],
])('prints %s', async (_, lines, count) => {
  const keys = [7, 8].slice(0, count).map((octet) => Buffer.alloc(32, octet));
  expect(await answers(program(lines))).toEqual([keys, keys]);
});

test.each([
  ['fails', 'echo "no token in slot 0" >&2; exit 3', /ended with 3, and said "no token in slot 0": run it/],
  ['prints nothing', 'true', /printed something else than 32 random bytes in base64/],
  ['prints more', `echo ${KEY}; echo done`, /printed something else/],
  ['prints without an end', 'while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaa; done', /could not be run \(/],
  ['is ended by a signal', 'kill -9 $$', /could not be run \(/],
])('one that %s is named, with what it said', async (_, lines, expected) => {
  const path = program(lines);
  for (const answer of await answers(path)) {
    expect(answer).toMatch(expected);
    expect(answer).toContain(`ACUSE_MASTER_KEY_COMMAND: ${path}`);
    expect(answer).not.toContain(KEY);
  }
});

test('one that hangs, with children that hang, is not waited for', async () => {
  for (const answer of await answers(program('sleep 100 & sleep 100'), 300))
    expect(answer).toMatch(/took too long/);
});

test('one that others can change, that is not there, or that cannot be run is refused', async () => {
  for (const answer of await answers(program(`echo ${KEY}`, 0o722))) expect(answer).toMatch(/chmod go-w/);
  for (const answer of await answers(join(folder, 'none'))) expect(answer).toMatch(/there is no .*none/);
  for (const answer of await answers(program(`echo ${KEY}`, 0o600))) expect(answer).toMatch(/EACCES/);
});

test.each([
  ['gives the key', 'true'],
  ['is given a wrong PIN', 'exit 7'],
])('a command that needs the key twice asks once, also if the program %s', (_, end) => {
  const runs = join(folder, `runs-${made}`);
  const given = { masterKeys: null, masterKeyCommand: program(`echo run >> ${runs}; echo ${KEY}; ${end}`) };
  const read = () => {
    try {
      return readGivenKeys(given);
    } catch (error) {
      return error;
    }
  };
  expect(read()).toBe(read());
  expect(readFileSync(runs, 'utf8')).toBe('run\n');
});
