#!/usr/bin/env node
// No text runs a package of a public registry by a name that the project does not own: whoever takes the name
// runs code wherever the text is followed, and texts of bundles are followed for years. What a tree has
// installed itself (npx --no, a tool of package.json) is no such name.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT, readText, report } from './source-files.mjs';

/** Tools of package.json, which npx finds in node_modules. */
const OWN_TOOLS = new Set(['vitest', 'tsc', 'biome']);
/**
 * Install lines of the client libraries, by where they are. None of these names is claimed yet: no other text
 * may say them, and these only in a command that says which source they come from.
 */
const CLIENTS =
  /^(?:sdks|scripts\/package\/clients)\/|^server\/src\/surfaces\/reference\/site\/client-samples\.json$/;

/** Programs that fetch what they run, with the options before its name. */
const RUNS =
  /\b(?:npx|bunx|uvx|npm exec|npm x|pnpm dlx|yarn dlx|pipx run)((?: +-[\w-]+)*) +(@?[a-z][\w./-]*)/g;
const INSTALLS =
  /\b(?:npm (?:install|i|add)|yarn add|pnpm add|pipx? install|uv add|gem install|bundle add|composer require|cargo (?:add|install)|go (?:get|install))((?: +-[\w-]+)*) +["'`]?(@?[a-z][\w./-]*)/g;
const SOURCE = / @ |--registry|--source|GOPROXY=|composer config repositories\./;
const STAYS_INSIDE = /(?:^| )--no(?:-install)?\b/;

/** Breaches of a file, as lines. */
export function unownedIn(path, text) {
  const found = [];
  const say = (index, what) => found.push(`${path}:${text.slice(0, index).split('\n').length}: ${what}`);
  for (const { index, 0: whole, 1: options, 2: name } of text.matchAll(RUNS))
    if (!OWN_TOOLS.has(name) && !STAYS_INSIDE.test(options)) say(index, whole);
  for (const { index, 0: whole, 2: name } of text.matchAll(INSTALLS))
    if (/acuse/.test(name) && !isSaidFromWhere(path, text, index)) say(index, whole);
  return found;
}

function isSaidFromWhere(path, text, index) {
  return CLIENTS.test(path) && SOURCE.test(commandAt(text, index));
}

/** The line, and those before it that it hangs on. */
function commandAt(text, index) {
  const end = text.indexOf('\n', index);
  const lines = text.slice(0, end < 0 ? undefined : end).split('\n');
  let first = lines.length - 1;
  while (first > 0 && lines[first - 1].endsWith('&&')) first--;
  return lines.slice(first).join('\n');
}

/** Generated from what is looked at, tests of this check, and what was said once. */
const PASSED_OVER = /^(?:contract|CHANGELOG\.md|scripts\/check-unowned\.|package-lock\.json)|\/dist\//;
const TEXT = /\.(?:md|mjs|js|ts|tsx|html|json|txt|sh|py|rb|php|go|rs|java|toml|ya?ml)$/;

/** Every such line of what is committed. */
export function findAll() {
  const paths = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n');
  return paths
    .filter((path) => TEXT.test(path) && !PASSED_OVER.test(path))
    .flatMap((path) => unownedIn(path, readText(join(ROOT, path))));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) report(findAll());
