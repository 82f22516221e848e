#!/usr/bin/env node
// Writes the generated files of the client libraries: node sdks/generate/run.mjs [--check] [language]. Each
// language has an emitter here, <language>.mjs, whose `emit(model)` returns [{path, text}], paths below
// sdks/<language>/. A language without a folder or without an emitter is skipped. With --check nothing is
// written, and a file that is stale, missing or left over is a failure.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NOT_OURS } from './folders.mjs';
import { readModel } from './model.mjs';
import { newlyRequired } from './released.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The emitters, each by its path: the walls of scripts/check-walls.mjs see what is imported. */
const EMITTERS = {
  typescript: () => import('./typescript.mjs'),
  python: () => import('./python.mjs'),
  go: () => import('./go.mjs'),
  rust: () => import('./rust.mjs'),
  java: () => import('./java.mjs'),
  php: () => import('./php.mjs'),
  ruby: () => import('./ruby.mjs'),
};

/** The mark in one of the first lines of every generated file. */
const HEADER = /Generated\b.*\bdo not edit/;
const HEADER_LINES_MAX = 8;

/** Names of the languages, in the order of sdks/names.json. */
export function languages() {
  return Object.keys(JSON.parse(readFileSync(join(root, 'sdks/names.json'), 'utf8')).languages);
}

/** The `emit` of a language; null while nobody has written it. */
export async function emitterOf(language) {
  if (!existsSync(new URL(`./${language}.mjs`, import.meta.url))) return null;
  return (await EMITTERS[language]()).emit;
}

/**
 * The files of one language or of all, as [path, text]; text undefined: a file that should not
 * be there any more. Paths are relative to the root of the tree.
 * @param {import('./model.mjs').Model} model
 * @param {string[]} [wanted]
 */
export async function generatedFiles(model, wanted = languages()) {
  const problems = newlyRequired(model);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const found = [];
  for (const language of wanted) {
    const folder = `sdks/${language}`;
    if (!existsSync(join(root, folder))) continue;
    const emit = await emitterOf(language);
    if (emit === null) continue;
    found.push(...placed(folder, emit(structuredClone(model))));
  }
  return found;
}

/** The files of an emitter with their paths in the tree, and those of an earlier run that it left behind. */
export function placed(folder, files, present = filesBelow(folder)) {
  const texts = new Map();
  for (const { path, text } of files) {
    const place = posix.normalize(posix.join(folder, path));
    const wrong = problemOf(folder, place, text) ?? (texts.has(place) ? 'is emitted twice' : null);
    if (wrong !== null) throw new Error(`${place}: ${wrong}`);
    texts.set(place, text);
  }
  for (const path of present) if (isGenerated(path) && !texts.has(path)) texts.set(path, undefined);
  return [...texts];
}

function problemOf(folder, place, text) {
  if (!place.startsWith(`${folder}/`)) return `an emitter writes only below ${folder}/`;
  if (!isGenerated(place))
    return 'a generated file has "generated" in its name or is in a folder "generated"';
  if (!HEADER.test(text.split('\n', HEADER_LINES_MAX).join('\n')))
    return `its first ${HEADER_LINES_MAX} lines lack "Generated … do not edit"`;
  return text.endsWith('\n') ? null : 'does not end in a line break';
}

/** By its name, or, where a language takes the name for the class in it, by a folder `generated`. */
function isGenerated(path) {
  return /generated/i.test(posix.basename(path)) || path.split('/').includes('generated');
}

function filesBelow(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return NOT_OURS.has(entry.name) ? [] : filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}

function apply([path, text], check) {
  const file = join(root, path);
  const was = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  if (was === text) return false;
  if (check) {
    console.error(`${path} is stale: run npm run generate and commit it`);
  } else if (text === undefined) {
    rmSync(file);
    console.log(`removed ${path}`);
  } else {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    console.log(`wrote ${path}`);
  }
  return true;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const check = process.argv.includes('--check');
  const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
  const unknown = wanted.filter((language) => !languages().includes(language));
  try {
    if (unknown.length > 0)
      throw new Error(
        `${unknown.join(', ')} is not a language of sdks/names.json: ${languages().join(', ')}`,
      );
    const files = await generatedFiles(readModel(), wanted.length > 0 ? wanted : languages());
    const stale = files.filter((file) => apply(file, check));
    process.exitCode = check && stale.length > 0 ? 1 : 0;
  } catch (error) {
    console.error(`generating failed: ${error.message}`);
    process.exitCode = 1;
  }
}
