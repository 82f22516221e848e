import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import packageFacts from '../../package.json' with { type: 'json' };
import { LISTENER_PORTS, VARIABLES } from '../../src/config/config-variables.ts';
import { ROLES } from '../../src/config/role-duties.ts';

const deploy = fileURLToPath(new URL('../../../deploy/', import.meta.url));
const systemd = `${deploy}systemd/`;

test('every role has a port of its own, which no listener has by default', () => {
  const files = readdirSync(`${systemd}roles`);
  expect(files.sort()).toStrictEqual(ROLES.map((role) => `${role}.env`).sort());
  const ports = files.map((file) => {
    const port = /^ACUSE_PORT=(\d+)$/m.exec(readFileSync(`${systemd}roles/${file}`, 'utf8'))?.[1];
    return [file, port];
  });
  expect(new Set(ports.map(([, port]) => port)).size).toBe(ROLES.length);
  const defaults = Object.values(VARIABLES)
    .filter(({ name }) => name !== 'ACUSE_PORT' && LISTENER_PORTS.some((each) => each === name))
    .map((variable) => ('default' in variable ? variable.default : undefined));
  for (const [file, port] of ports) expect(defaults, file).not.toContain(port);
});

test('compose and the chart start every role', () => {
  const compose = readFileSync(`${deploy}compose/roles.yaml`, 'utf8');
  const values = readFileSync(`${deploy}helm/acuse/values.yaml`, 'utf8');
  for (const role of ROLES) {
    expect(compose, role).toContain(
      `\n  ${role}:\n    <<: *acuse\n    environment:\n      <<: *settings\n      ACUSE_ROLES: ${role}\n`,
    );
    expect(values, role).toContain(`\n  ${role}:\n    replicas: `);
  }
});

test('the chart and its program have one version', () => {
  const chart = readFileSync(`${deploy}helm/acuse/Chart.yaml`, 'utf8');
  expect(/^version: (.*)$/m.exec(chart)?.[1]).toBe(packageFacts.version);
  expect(/^appVersion: (.*)$/m.exec(chart)?.[1]).toBe(packageFacts.version);
});

test("the image's base is named by version and digest", () => {
  const file = readFileSync(`${deploy}container/Dockerfile`, 'utf8');
  expect(file).toMatch(/^ARG BASE=node:24\.\d+\.\d+-\w+-slim@sha256:[0-9a-f]{64}$/m);
  expect(file.match(/^FROM \$\{BASE\}/gm)).toHaveLength(file.match(/^FROM /gm)!.length);
});

test("Patroni's file has every setting that the guide explains", () => {
  const guide = readFileSync(`${deploy}../docs/guides/failover.md`, 'utf8');
  const template = readFileSync(`${deploy}patroni/patroni.yml`, 'utf8');
  const table = guide.slice(guide.indexOf('The settings:'), guide.indexOf('### What happens'));
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  const named = rows.flatMap((row) =>
    [...row.split('|')[1]!.matchAll(/`(\w[\w-]*)/g)].map(([, name]) => name!),
  );
  expect(named).toContain('synchronous_mode_strict');
  for (const name of named) expect(template, name).toMatch(new RegExp(`^ *(?:- )?${name}(?::|$)`, 'm'));
});

test('both units run the same command with the same limits', () => {
  const directives = (name: string) =>
    readFileSync(`${systemd}${name}`, 'utf8')
      .split('\n')
      .filter((line) => /^[A-Z]\w+=/.test(line) && !/^(?:Description|Conflicts|After|Environment)/.test(line))
      .map((line) => line.replace(' --roles %i', ''));
  expect(directives('acuse@.service')).toStrictEqual(directives('acuse.service'));
});
