// For each language: a program of the calls, and how it is compiled and run. `library`: the folder of the
// library, built; `work`: an empty folder.
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { indented } from '../layout.mjs';
import { pinnedKey } from './recorder.mjs';

const run = promisify(execFile);
const OUTPUT_MAX_BYTES = 64 << 20;

/** @type {Record<string, (given: {snippets: string[], library: string, work: string}) => Promise<Run>>} */
export const PROGRAMS = { typescript, python, go, rust, java, php, ruby };

/** @typedef {(env: Record<string, string>) => Promise<void>} Run */

function running(command, args, { cwd, env: more = {} }) {
  return async (env) => {
    await run(command, args, { cwd, maxBuffer: OUTPUT_MAX_BYTES, env: { ...process.env, ...more, ...env } });
  };
}

/** Lines that import, which stand before the calls; the rest of a snippet. */
function split(snippets) {
  const parts = snippets.map((snippet) => {
    const lines = snippet.split('\n');
    const isHead = (line) => /^(?:import|from) .*(?:;|import \w+)$/.test(line);
    return {
      head: lines.filter(isHead),
      rest: lines
        .filter((line) => !isHead(line))
        .join('\n')
        .trim(),
    };
  });
  return { heads: [...new Set(parts.flatMap(({ head }) => head))], parts: parts.map(({ rest }) => rest) };
}

async function typescript({ snippets, library, work }) {
  const { heads, parts } = split(snippets);
  const calls = parts.map((each) => `{\n${indented(each, '  ')}\n}\n`).join('');
  const from = join(library, 'dist/index.js');
  const text = `import { Acuse } from ${JSON.stringify(from)};\n${heads.join('\n')}\nconst acuse = new Acuse();\nconst pinnedKey = ${JSON.stringify(pinnedKey)};\n${calls}`;
  writeFileSync(join(work, 'calls.mjs'), text);
  return running(process.execPath, ['calls.mjs'], { cwd: work });
}

async function python({ snippets, library, work }) {
  const { heads, parts } = split(snippets);
  const calls = parts
    .map((each, at) => `\n\ndef call_${at}() -> None:\n${indented(each, '    ')}\n`)
    .join('');
  const all = parts.map((_, at) => `call_${at}()\n`).join('');
  const head = ['from acuse import Acuse', ...heads].join('\n');
  writeFileSync(
    join(work, 'calls.py'),
    `${head}\n\nacuse = Acuse()\npinned_key = ${JSON.stringify(pinnedKey)}\n${calls}\n\n${all}`,
  );
  const bin = join(library, '.venv/bin');
  const env = { PYTHONPATH: join(library, 'src'), MYPYPATH: join(library, 'src') };
  await running(join(bin, 'mypy'), ['--strict', '--no-error-summary', 'calls.py'], { cwd: work, env })({});
  return running(join(bin, 'python'), ['calls.py'], { cwd: work, env });
}

const GO_HEAD = `package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"acuse.dev/go"
)

var _ = os.ReadFile

const pinnedKey = ${JSON.stringify(pinnedKey)}

`;

async function go({ snippets, library, work }) {
  const calls = snippets.map((each, at) => {
    const end = /^result, err :=/m.test(each)
      ? '_ = result\nreturn err'
      : /^err :=/m.test(each)
        ? 'return err'
        : 'return nil';
    return `func call${at}(ctx context.Context, c *acuse.Client) error {\n${indented(`${each}\n${end}`, '\t')}\n}\n\n`;
  });
  const all = snippets.map((_, at) => `\t\tcall${at},\n`).join('');
  const text = `${GO_HEAD}${calls.join('')}func main() {
	c, err := acuse.New()
	if err != nil {
		log.Fatal(err)
	}
	for at, call := range []func(context.Context, *acuse.Client) error{\n${all}\t} {
		if err := call(context.Background(), c); err != nil {
			log.Fatal(fmt.Errorf("call %d: %w", at, err))
		}
	}
}
`;
  writeFileSync(join(work, 'main.go'), text);
  writeFileSync(
    join(work, 'go.mod'),
    `module example.com/calls\n\ngo 1.24\n\nrequire acuse.dev/go v0.0.0\n\nreplace acuse.dev/go => ${library}\n`,
  );
  const env = { GOFLAGS: '-mod=mod', GOPROXY: 'off', GOTOOLCHAIN: 'local' };
  const { stdout } = await run('gofmt', ['-d', 'main.go'], { cwd: work });
  if (stdout !== '') throw new Error(`gofmt would change:\n${stdout}`);
  await running('go', ['vet', '.'], { cwd: work, env })({});
  await running('go', ['build', '-o', 'calls', '.'], { cwd: work, env })({});
  return running(join(work, 'calls'), [], { cwd: work });
}

/** The crate's own build and its locked packages are used: nothing is fetched. */
async function rust({ snippets, library, work }) {
  const calls = snippets.map((each, at) => {
    const body = indented(`${each}\nOk(())`, '    ');
    return `fn call${at}(acuse: &Acuse) -> Result<(), acuse::Error> {\n${body}\n}\n\n`;
  });
  const all = snippets.map((_, at) => `    call${at}(&acuse)?;\n`).join('');
  const head = `#![allow(unused, non_upper_case_globals)]\nuse acuse::types::*;\nuse acuse::{Acuse, Key};\n\nconst pinned_key: &str = ${JSON.stringify(pinnedKey)};\n\n`;
  const main = `fn main() -> Result<(), acuse::Error> {\n    let acuse = Acuse::from_env()?;\n${all}    Ok(())\n}\n`;
  mkdirSync(join(work, 'src'));
  writeFileSync(join(work, 'src/main.rs'), `${head}${calls.join('')}${main}`);
  const manifest = readFileSync(join(library, 'Cargo.toml'), 'utf8');
  const json = /^serde_json = .*$/m.exec(manifest)[0];
  writeFileSync(
    join(work, 'Cargo.toml'),
    `[package]\nname = "calls"\nversion = "0.0.0"\nedition = "2021"\n\n[dependencies]\nacuse = { path = ${JSON.stringify(library)} }\n${json}\n\n[workspace]\n`,
  );
  copyFileSync(join(library, 'Cargo.lock'), join(work, 'Cargo.lock'));
  const target = join(library, 'target');
  const env = { CARGO_TARGET_DIR: target, CARGO_TERM_COLOR: 'never' };
  await running('cargo', ['build', '--quiet', '--offline'], { cwd: work, env })({});
  return running(join(target, 'debug/calls'), [], { cwd: work });
}

async function java({ snippets, library, work }) {
  const { heads, parts } = split(snippets);
  const calls = parts.map((each, at) => {
    return `  static void call${at}(Acuse acuse) throws Exception {\n${indented(each, '    ')}\n  }\n`;
  });
  const all = parts.map((_, at) => `    call${at}(acuse);\n`).join('');
  const head = ['import dev.acuse.Acuse;', 'import dev.acuse.model.*;', 'import java.util.*;', ...heads];
  const main = `  public static void main(String[] none) throws Exception {\n    var acuse = Acuse.fromEnv();\n${all}  }\n`;
  writeFileSync(
    join(work, 'Calls.java'),
    `${head.join('\n')}\n\nclass Calls {\n  static final String pinnedKey = ${JSON.stringify(pinnedKey)};\n\n${calls.join('')}${main}}\n`,
  );
  const classes = join(library, 'target/classes');
  await running('javac', ['--release', '17', '-d', work, '-cp', classes, 'Calls.java'], { cwd: work })({});
  return running('java', ['-cp', `${classes}:${work}`, 'Calls'], { cwd: work });
}

async function php({ snippets, library, work }) {
  const calls = snippets
    .map((each) => `(function ($acuse, $pinnedKey) {\n${indented(each, '    ')}\n})($acuse, $pinnedKey);\n`)
    .join('');
  const head = `<?php\ndeclare(strict_types=1);\nrequire ${JSON.stringify(join(library, 'autoload.php'))};\n`;
  writeFileSync(
    join(work, 'calls.php'),
    `${head}$acuse = new Acuse\\Client();\n$pinnedKey = '${pinnedKey}';\n${calls}`,
  );
  await running('php', ['-l', 'calls.php'], { cwd: work })({});
  return running('php', ['-d', 'display_errors=stderr', 'calls.php'], { cwd: work });
}

async function ruby({ snippets, library, work }) {
  const calls = snippets.map((each) => `lambda do\n${indented(each, '  ')}\nend.call\n`).join('');
  writeFileSync(
    join(work, 'calls.rb'),
    `require 'acuse'\nacuse = Acuse::Client.new\npinned_key = '${pinnedKey}'\n${calls}`,
  );
  await running('ruby', ['-c', 'calls.rb'], { cwd: work })({});
  return running('ruby', [`-I${join(library, 'lib')}`, 'calls.rb'], { cwd: work });
}
