#!/usr/bin/env node
// Compiles the code that is shown for a language against its library, runs it, and compares each request with
// the one that it was written for: node sdks/generate/snippets/check.mjs <language>. The library must be
// built; sdks/<language>/run unit does both.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkedCalls, table } from './check/calls.mjs';
import { PROGRAMS } from './check/programs.mjs';
import { differences, recorded } from './check/recorder.mjs';
import { LANGUAGES, snippetOf } from './index.mjs';

/** Throws an Error that says what is wrong; answers how many calls were made. */
export async function checkLanguage(id, calls = checkedCalls(), library = folderOf(id)) {
  const language = LANGUAGES.find((each) => each.id === id);
  if (language === undefined)
    throw new Error(`no code is shown in ${id}; it is in ${LANGUAGES.map((each) => each.id).join(', ')}`);
  const work = mkdtempSync(join(tmpdir(), `acuse-snippets-${id}-`));
  try {
    const shown = calls
      .map((call) => ({ call, snippet: snippetOf(language, call, table) }))
      .filter(({ snippet }) => snippet !== null);
    const run = await PROGRAMS[id]({ snippets: shown.map(({ snippet }) => snippet), library, work });
    const made = shown.map(({ call }) => call);
    const requests = await recorded(made, (address) =>
      run({ ACUSE_URL: address, ACUSE_API_KEY: `acuse_${'1'.repeat(12)}_${'a'.repeat(32)}` }),
    );
    const wrong = differences(made, requests);
    if (wrong.length > 0) throw new Error(wrong.join('\n'));
    return shown.length;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function folderOf(id) {
  return fileURLToPath(new URL(`../../${id}`, import.meta.url));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const id = process.argv[2] ?? '';
  try {
    if (!LANGUAGES.some((each) => each.id === id)) {
      console.log(`no code is shown in ${id} yet`);
      process.exit();
    }
    console.log(`${await checkLanguage(id)} calls as shown in ${id} ask for what they say`);
  } catch (error) {
    // Output before a failure does not explain it; compilers report on stderr.
    console.error([error.message, error.stderr].filter(Boolean).join('\n'));
    process.exitCode = 1;
  }
}
