import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
// @ts-expect-error: a script without types
import { readModel } from './model.mjs';
// @ts-expect-error: a script without types
import { snippetsOf } from './snippets.mjs';

const ROOT = join(import.meta.dirname, '../..');
const snippets = Object.entries(
  snippetsOf(readModel()) as Record<string, { lang: string; source: string }[]>,
);
const of = (wanted: string) =>
  snippets.flatMap(([id, samples]) =>
    samples.filter(({ lang }) => lang === wanted).map(({ source }) => [id, source] as const),
  );

test('every operation but those of the log has a call in each language', () => {
  const ids = readModel().operations.map(({ operationId }: { operationId: string }) => operationId);
  const without = [...new Set<string>(ids)].filter((id) => !snippets.some(([name]) => name === id));
  expect(without).toEqual(['getLogCheckpoint', 'getLogKey', 'getLogTile', 'getLogCertificate']);
  expect(of('TypeScript')).toHaveLength(snippets.length);
  expect(of('Python')).toHaveLength(snippets.length);
});

test('the calls in TypeScript compile against the library', () => {
  const file = join(ROOT, 'sdks/typescript/src/snippets.check.ts');
  const text = `import { Acuse } from './acuse.ts';\nconst acuse = new Acuse();\n${of('TypeScript')
    .map(([id, source]) => `export async function ${id}() {\n${source}\n}`)
    .join('\n')}\n`;
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

test('the calls in Python are methods of the library', () => {
  const read = (name: string) => readFileSync(join(ROOT, 'sdks/python/src/acuse', name), 'utf8');
  const methods = `${read('_resources_generated.py')}${read('_resources.py')}`;
  for (const [, source] of of('Python')) {
    const [, method] = /acuse\.\w+\.(\w+)\(/.exec(source)!;
    expect(methods).toContain(`def ${method}(`);
  }
  expect(Object.fromEntries(of('Python'))['createApiKey']).toMatch(
    /^result = acuse\.api_keys\.create\(\{\n {4}"name": "billing service",\n {4}"scopes": \["messages:send", /,
  );
});
