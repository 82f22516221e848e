import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/config.ts';
import { VARIABLES } from '../../../src/config/config-variables.ts';
import { API_ERRORS } from '../../../src/errors.ts';

const root = new URL('../../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

/** Cells of a Markdown page's table rows, without heads and rules. */
function rowsOf(page: string): string[][] {
  return page
    .split('\n')
    .filter((line) => /^\|(?! *-)/.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

test('docs/errors.md has every code of the table in the source, with its status, and no other', () => {
  const documented = rowsOf(read('docs/errors.md'))
    .filter(([status]) => /^\d{3}$/.test(status!))
    .map(([status, code, meaning, fix]) => {
      expect([code, meaning!.length > 10, fix!.length > 10]).toEqual([code, true, true]);
      return [code!.replaceAll('`', ''), Number(status)];
    });
  expect(Object.fromEntries(documented)).toEqual(
    Object.fromEntries(Object.entries(API_ERRORS).map(([code, { status }]) => [code, status])),
  );
  expect(documented).toHaveLength(Object.keys(API_ERRORS).length);
});

describe('docs/limits.md', () => {
  const rows = rowsOf(read('docs/limits.md')).filter((row) => row.length === 4 && row[3]!.includes('.ts'));

  test.each(
    rows.map(([limit, value, , constant]) => ({ limit: limit!, value: value!, constant: constant! })),
  )('$limit: $value', ({ value, constant }) => {
    const [, path, name] = /^`([\w/.-]+):(\w+)`$/.exec(constant)!;
    expect(inUnits(value, name!)).toBe(sourceValue(path!, name!));
  });

  test('names every limit that stands in a schema or a named constant of the send', () => {
    const named = new Set(rows.map(([, , , constant]) => /:(\w+)`$/.exec(constant!)![1]));
    const constants = [
      ...read('server/src/messages/send-schema.ts').matchAll(/export const ([A-Z_]+(?:MAX|LIMIT)[A-Z_]*) =/g),
      ...read('packages/mail/src/limits.ts').matchAll(/export const ([A-Z_]+MAX[A-Z_]*) =/g),
    ].map((match) => match[1]!);
    const inside = [
      // How lines are written, and guards of the reader that no message of a sane program comes near.
      'DOMAIN_MAX_BYTES',
      'DOMAIN_LABEL_MAX_BYTES',
      'LINE_MAX_BYTES',
      'BOUNDARY_LOOKALIKES_MAX',
    ];
    expect(constants.filter((name) => !named.has(name) && !inside.includes(name))).toEqual([]);
  });
});

/** The number in the unit that the constant's name ends with. */
function inUnits(value: string, name: string): number {
  const [, digits, unit = ''] = /^([\d ]+\d|\d)(?: ?([A-Za-z]+))?$/.exec(value.replaceAll('\u00a0', ' '))!;
  const factor = { KiB: 1024, MiB: 1024 * 1024, ms: 1, s: 1_000, h: 3_600_000, days: 86_400_000 }[unit] ?? 1;
  const number = Number(digits!.replaceAll(' ', ''));
  return /(_MS|_BYTES|_LIMIT_MS)$|^ACUSE_/.test(name) ? number * factor : number;
}

/** The value of a constant of the source; an ACUSE_ name is a configuration variable's default. */
function sourceValue(path: string, name: string): number {
  if (name.startsWith('ACUSE_')) {
    const { config } = loadConfig({});
    const [key] = Object.entries(VARIABLES).find(([, variable]) => variable.name === name)!;
    return config[key as 'keyRate'];
  }
  const [, expression] = new RegExp(`const ${name} = ([-\\d_ *().+A-Z]+);`).exec(read(path)) ?? [];
  expect(expression, `${path} has no ${name} that is a number`).toBeDefined();
  const whole = expression!.replace(/[A-Z][A-Z_]+/g, (other) => String(sourceValue(path, other)));
  return Number(new Function(`return ${whole}`)());
}
