import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isOfMachineApi } from '../portal/src/shell/machine-api.ts';

const pathsOf = (name: string, prefix: string): string[] =>
  Object.keys(JSON.parse(readFileSync(new URL(`../../contract/${name}`, import.meta.url), 'utf8')).paths)
    .filter((path) => path.startsWith(prefix))
    .map((path) => path.slice(prefix.length).replaceAll(/\{\w+\}/g, 'an-id'));

test('“the same as code” shows the calls that the machine API has, and no other', () => {
  const machine = new Set(pathsOf('openapi.json', '/v1'));
  const portal = pathsOf('portal.json', '/v1/portal');
  expect(portal.length).toBeGreaterThan(50);
  expect(portal.filter((path) => isOfMachineApi(path) !== machine.has(path))).toEqual([]);
});
