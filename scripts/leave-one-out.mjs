#!/usr/bin/env node
// How well bounces of a provider are read that no rule was made for: each group of files (lhost-exim-…,
// rhost-google-…) is read by the rules without what no file of another group bears out. A part of a rule that
// matches in this group alone counts as learned from it and is left out, so the figure is a lower bound.
// Usage: ACUSE_CORPORA=<folder> node scripts/leave-one-out.mjs [folder with labels.json and *.eml]
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { alternativesOf, near } from './expressions/alternatives.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const corpora = process.env.ACUSE_CORPORA ?? join(root, '../shared/corpora');
const folder = process.argv[2] ?? join(corpora, 'bounces');
if (!existsSync(join(folder, 'labels.json'))) {
  console.error(`No labels.json in ${folder}; name the folder or set ACUSE_CORPORA.`);
  process.exit(2);
}

/** Whose tables are rules, by the module that exports them. */
const TABLES = ['reply/provider-codes', 'reply/recipient-rules', 'reply/sender-rules', 'report/bounce-text'];

const { compare, tables } = await load();
const labels = JSON.parse(readFileSync(join(folder, 'labels.json'), 'utf8'));
const files = labels.map((labelled) => ({
  labelled,
  group: labelled.file.replace(/-\d+\.eml$/, ''),
  bytes: readFileSync(join(folder, labelled.file)),
}));
const places = [...placesOf(tables)];

// Questions about each expression, by group.
const texts = new Map(places.map((place) => [place, new Map()]));
for (const place of places) {
  const { regex } = place;
  const heard = new RegExp(regex.source, regex.flags);
  heard.exec = function (text) {
    const groups = texts.get(place).get(text) ?? new Set();
    texts.get(place).set(text, groups.add(current));
    return RegExp.prototype.exec.call(this, text);
  };
  place.holder[place.key] = heard;
}
let current = '';
const whole = new Map();
for (const { labelled, group, bytes } of files) {
  current = group;
  const rows = compare(labelled, bytes);
  whole.set(group, [...(whole.get(group) ?? []), ...rows]);
}

// Where each part of an expression matches.
for (const place of places) {
  const asked = [...texts.get(place)];
  const groupsOf = (part) => {
    const test = new RegExp(part, place.regex.flags.replace('g', ''));
    const found = new Set();
    for (const [text, groups] of asked) if (test.test(text)) for (const group of groups) found.add(group);
    return found;
  };
  place.parts = partsOf(place.regex.source).map((part) => ({ ...part, groups: groupsOf(part.alone) }));
}

const left = new Map();
for (const group of whole.keys()) {
  for (const place of places) place.holder[place.key] = without(place, group);
  const rows = files.filter((file) => file.group === group);
  left.set(
    group,
    rows.flatMap(({ labelled, bytes }) => compare(labelled, bytes)),
  );
}
print();

/** An expression as parts that can be left out: its alternatives, or those of either side of a pair. */
function partsOf(source) {
  const pair = near(source);
  if (pair === null) return alternativesOf(source).map((part) => ({ side: 0, part, alone: part }));
  const [first, gap, second] = pair;
  return [
    ...alternativesOf(first).map((part) => ({ side: 1, part, alone: `(?:${part})${gap}(?:${second})` })),
    ...alternativesOf(second).map((part) => ({ side: 2, part, alone: `(?:${first})${gap}(?:${part})` })),
  ];
}

function without({ regex, parts }, group) {
  const kept = parts.filter(({ groups }) => groups.size !== 1 || !groups.has(group));
  if (kept.length === parts.length) return regex;
  const side = (number) => kept.filter((part) => part.side === number).map(({ part }) => part);
  const pair = near(regex.source);
  if (pair === null) return kept.length === 0 ? /(?!)/ : new RegExp(side(0).join('|'), regex.flags);
  if (side(1).length === 0 || side(2).length === 0) return /(?!)/;
  return new RegExp(`(?:${side(1).join('|')})${pair[1]}(?:${side(2).join('|')})`, regex.flags);
}

/** Every expression in a table, with where it stands. */
function* placesOf(value, seen = new Set()) {
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  for (const [key, inner] of Object.entries(value)) {
    if (inner instanceof RegExp) yield { holder: value, key, regex: inner };
    else yield* placesOf(inner, seen);
  }
}

async function load() {
  const bundleFolder = mkdtempSync(join(tmpdir(), 'acuse-leave-one-out-'));
  process.on('exit', () => rmSync(bundleFolder, { recursive: true, force: true }));
  const source = (name) => JSON.stringify(join(root, 'packages/mail/src', `${name}.ts`));
  await build({
    stdin: {
      contents: [
        `export { compare } from ${source('report/agreement')};`,
        ...TABLES.map((name, at) => `import * as t${at} from ${source(name)};`),
        `export const tables = [${TABLES.map((_, at) => `{ ...t${at} }`).join(', ')}];`,
      ].join('\n'),
      resolveDir: root,
    },
    outfile: join(bundleFolder, 'bundle.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
  });
  return import(join(bundleFolder, 'bundle.mjs'));
}

function print() {
  const share = (rows, key) =>
    `${((rows.filter((row) => row[key]).length / rows.length) * 100).toFixed(1)} %`.padStart(8);
  const line = (name, count, all, out) =>
    `${name.padEnd(24)}${String(count).padStart(5)}${share(all, 'hardAgrees')}${share(all, 'typeAgrees')}${share(out, 'hardAgrees')}${share(out, 'typeAgrees')}`;
  console.log(`${''.padEnd(29)}      with all rules   without its own`);
  console.log(`${'group'.padEnd(24)}   of    hard  reason    hard  reason`);
  for (const [group, rows] of whole) console.log(line(group, rows.length, rows, left.get(group)));
  const all = [...whole.values()].flat();
  console.log(line('all', all.length, all, [...left.values()].flat()));
  for (const row of [...left.values()].flat().filter((one) => !one.hardAgrees || !one.typeAgrees))
    console.log(`  ${row.file}: label ${row.label.reason}; ours ${row.reading.reason}, ${row.reading.type}`);
}
