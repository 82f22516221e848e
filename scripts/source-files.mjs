// The files of a tree as the checks read them: each is read and parsed once in a process, whoever asks.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { NOT_OURS } from '../sdks/generate/folders.mjs';

/** Of this repository. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url));

const texts = new Map();
const trees = new Map();

/** The text of a file, by its place on the machine. */
export function readText(place) {
  const known = texts.get(place);
  if (known !== undefined) return known;
  const text = readFileSync(place, 'utf8');
  texts.set(place, text);
  return text;
}

/** Its syntax; nodes know their parents. Of one path the text that was last asked for is kept. */
export function parse(path, text) {
  const known = trees.get(path);
  if (known?.text === text) return known;
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  trees.set(path, tree);
  return tree;
}

/** Paths of the files below a folder, from the root; not what is installed or built there. */
export function filesBelow(root, folder, skipped = NOT_OURS) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : filesBelow(root, path, skipped);
    return entry.isFile() ? [path] : [];
  });
}

export function isCode(path) {
  return /\.[cm]?[jt]sx?$/.test(path);
}

/** Runs a check by itself: says each breach, and fails when there is one. */
export function report(breaches) {
  for (const breach of breaches) console.error(breach);
  process.exitCode = breaches.length === 0 ? 0 : 1;
}
