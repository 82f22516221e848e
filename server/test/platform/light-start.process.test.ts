import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { builtCommand } from '@acuse/testkit/built-command';
import { expect, test } from 'vitest';

/** Each takes long to load, and few need it: what draws a PDF, and what sends traces. */
const LATE = ['fontkit', 'pdfkit', '@opentelemetry/sdk-trace-base'];

test('a start loads nothing that only some need', () => {
  const program = builtCommand();
  const [, serve] = /import\("\.\/(serve-[^"]+)"\)/.exec(readFileSync(program, 'utf8'))!;
  const files = filesOf(join(dirname(program), serve!));
  const packages = new Set(
    files.flatMap((path) => {
      const text = readFileSync(path, 'utf8');
      const inlined = [...text.matchAll(/^\/\/ node_modules\/((?:@[\w.-]+\/)?[\w.-]+)\//gm)];
      return [...importsOf(text), ...inlined.map(([, name]) => name!)];
    }),
  );
  // One that stays an import, and one that is inlined: both are seen.
  for (const name of ['pino', 'fastify']) expect(packages).toContain(name);
  expect(LATE.filter((name) => packages.has(name))).toEqual([]);
});

/** The files that one loads before it does anything, itself among them. */
function filesOf(path: string, seen: string[] = []): string[] {
  if (seen.includes(path)) return seen;
  seen.push(path);
  for (const name of importsOf(readFileSync(path, 'utf8')))
    if (name.startsWith('./')) filesOf(join(dirname(path), name), seen);
  return seen;
}

function importsOf(text: string): string[] {
  return [...text.matchAll(/^(?:import|export) [^'"();]*?["']([^'"]+)["'];$/gm)].map(([, name]) => name!);
}
