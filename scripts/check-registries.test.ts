import { expect, test } from 'vitest';
// @ts-expect-error: a script without types
import { brokenOutside, findAll, lacking } from './check-registries.mjs';

const pages: Record<string, string> = { 'docs/clients.md': '# Clients\n\n## Retries\n' };
const broken = (text: string) => brokenOutside('sdks/x/README.md', text, (path: string) => pages[path]);

test('a link of a package leads somewhere for whoever has the package alone', () => {
  expect(broken('`<your Acuse>/docs/clients#retries` [b](https://example.com) [c](#here)\n## Here')).toEqual(
    [],
  );
  expect(broken('[a](../../docs/clients.md)')).toHaveLength(1);
  expect(broken('`<your Acuse>/docs/nothing`')).toHaveLength(1);
  expect(broken('`<your Acuse>/docs/clients#nothing`')).toHaveLength(1);
  expect(broken('[a](https://acuse.dev/docs/clients#retries)')).toHaveLength(1);
  expect(broken('[a](https://acuse.dev)')).toHaveLength(1);
  expect(broken('[a](#nothing)')).toHaveLength(1);
});

test('a manifest names what a registry asks for', () => {
  expect(lacking('x', 'license = "MIT"', ['license = "MIT"', /authors/])).toEqual([
    'x: a registry needs /authors/',
  ]);
  expect(findAll()).toEqual([]);
});
