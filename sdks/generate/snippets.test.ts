import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import ts from 'typescript';
import { expect, onTestFinished, test } from 'vitest';
// @ts-expect-error: a script without types
import { readModel } from './model.mjs';
// @ts-expect-error: a script without types
import { checkedCalls } from './snippets/check/calls.mjs';
// @ts-expect-error: a script without types
import { checkLanguage } from './snippets/check.mjs';
import { type Call, callOf, LANGUAGES, type Language, snippetOf } from './snippets/index.mjs';
// @ts-expect-error: a script without types
import { tableOf } from './snippets/table.mjs';
// @ts-expect-error: a script without types
import { snippetsOf } from './snippets.mjs';

const ROOT = join(import.meta.dirname, '../..');
const model = readModel();
const table = tableOf(model);
const { names, setup, calls } = snippetsOf(model) as {
  names: Record<string, string>;
  setup: Record<string, string>;
  calls: Record<string, Record<string, string>>;
};
const language = (id: string): Language => LANGUAGES.find((each) => each.id === id)!;
const shown = (id: string, path: string) =>
  snippetOf(language(id), callOf({ method: 'GET', path }, table)!, table);

test('every operation has a call in each language', () => {
  const ids = new Set<string>(
    model.operations.map(({ operationId }: { operationId: string }) => operationId),
  );
  expect(Object.keys(calls)).toEqual([...ids]);
  for (const each of Object.values(calls)) expect(Object.keys(each)).toEqual(Object.keys(names));
  expect(Object.keys(setup)).toEqual(LANGUAGES.map(({ id }) => id));
});

test('the calls in TypeScript compile against the library', () => {
  const file = join(ROOT, 'sdks/typescript/src/snippets.check.ts');
  const snippets = (checkedCalls() as Call[]).map((call) => snippetOf(language('typescript'), call, table)!);
  const functions = snippets.map((source, at) => `export async function call${at}() {\n${source}\n}`);
  // A key that the caller has pinned is the caller's own.
  const head = `import { Acuse } from './acuse.ts';\ndeclare const pinnedKey: string;`;
  const text = `${head}\n${language('typescript').setup.code}\n${functions.join('\n')}\n`;
  const options: ts.CompilerOptions = {
    ...{ target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.NodeNext, strict: true, noEmit: true },
    ...{ moduleResolution: ts.ModuleResolutionKind.NodeNext, allowImportingTsExtensions: true },
    ...{ types: ['node'], lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'], skipLibCheck: true },
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, text, ts.ScriptTarget.ES2023) : getSourceFile(name, ...rest);
  host.fileExists = (name) => name === file || fileExists(name);
  host.readFile = (name) => (name === file ? text : readFile(name));
  const program = ts.createProgram([file], options, host);
  const source = program.getSourceFile(file)!;
  const problems = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
  expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))).toEqual([]);
});

test('what is shown in TypeScript asks for what it says', async () => {
  const library = mkdtempSync(join(tmpdir(), 'acuse-typescript-'));
  onTestFinished(() => rmSync(library, { recursive: true }));
  await build({
    entryPoints: [join(ROOT, 'sdks/typescript/src/index.ts')],
    ...{ bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' },
    outfile: join(library, 'dist/index.js'),
  });
  const all: Call[] = checkedCalls();
  expect(await checkLanguage('typescript', all, library)).toBe(all.length);
});

/** The others are compiled and run by `sdks/run <language> unit`; here where nothing must be built. */
test.skipIf(!has('ruby'))(
  'what is shown in Ruby asks for what it says (skipped: needs ruby)',
  { timeout: 120_000 },
  async () => {
    expect(await checkLanguage('ruby')).toBe(checkedCalls().length);
  },
);

test('a call that asks for something else than was shown is found out', async () => {
  const [first] = checkedCalls() as Call[];
  const other = { ...first!, operation: { ...first!.operation, method: 'sent' } };
  await expect(checkLanguage('ruby', [other])).rejects.toThrow(has('ruby') ? 'sent' : 'ruby');
});

test('a request becomes a call: filters with their types, a list without its cursor', () => {
  const path = '/v1/messages?limit=50&status=bounced,complained&certified=true&subject=it%27s&after=AZ';
  expect(shown('typescript', path)).toContain(
    "acuse.messages.list({\n  limit: 50,\n  status: ['bounced', 'complained'],\n  certified: true,\n  subject: 'it\\'s',\n})",
  );
  expect(shown('go', path)).toContain(
    'acuse.ListMessages{\n\tLimit:     50,\n\tStatus:    acuse.OneOf[acuse.MessageStatus]("bounced", "complained"),\n',
  );
  expect(shown('java', path)).toContain(
    'query -> query\n    .limit(50)\n    .status("bounced", "complained")',
  );
  expect(shown('php', path)).toContain("(\n    limit: 50,\n    status: ['bounced', 'complained'],\n");
  expect(shown('ruby', '/v1/messages?to=%23%7Bx%7D%0A')).toContain('(to: "\\#{x}\\n")');
  expect(shown('python', '/v1/messages?from=a%40example.com')).toContain('(from_="a@example.com")');
});

test('a request that no library makes is no call', () => {
  const of = (method: string, path: string, body?: unknown) => callOf({ method, path, body }, table);
  expect(of('GET', '/v1/members')).toBeNull();
  expect(of('GET', '/v1/messages?unknown=1')).toBeNull();
  expect(of('PUT', '/v1/messages')).toBeNull();
  expect(of('GET', '/v1/messages/a/b')).toBeNull();
  expect(of('GET', '/v1/templates/%E0%A4%A')?.params).toEqual(['%E0%A4%A']);
});

test('what a language has no literal for is not shown in it', () => {
  const body = { variables: { nothing: null } };
  const call = callOf({ method: 'POST', path: '/v1/templates/a/render', body }, table)!;
  expect(snippetOf(language('java'), call, table)).toBeNull();
  expect(snippetOf(language('python'), call, table)).toContain('"nothing": None');
  const unknown = callOf({ method: 'POST', path: '/v1/domains', body: { name: 'a', other: 1 } }, table)!;
  expect(snippetOf(language('go'), unknown, table)).toBeNull();
});

function has(command: string): boolean {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
