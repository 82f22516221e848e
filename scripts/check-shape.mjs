#!/usr/bin/env node
// The shape of the source, held: no import circles, files and functions that fit in the head, few parameters,
// lines that fit a screen. Each breach is one line: place, what is wrong, the limit.
import { readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { NOT_OURS } from '../sdks/generate/folders.mjs';
import { filesBelow, isCode, parse, ROOT, readText, report } from './source-files.mjs';
import { commentLines, importsOf, templateLines } from './source-text.mjs';

export const FILE_LINES_MAX = 400;
export const FUNCTION_LINES_MAX = 80;
export const PARAMETERS_MAX = 5;
export const LINE_CHARS_MAX = 110;

/** Folders whose text people write; the others hold what is generated, or installed. */
const FOLDERS = [
  '.ci',
  'bench',
  'contract',
  'deploy',
  'docs',
  'mcp',
  'packages',
  'scripts',
  'sdks',
  'server',
  'web',
];
const SKIPPED = new Set([...NOT_OURS, 'fixtures', 'vectors']);
/** Written by an emitter of sdks/generate. */
const EMITTED = /^sdks\/[^/]+\/(?:.*\/)?[^/]*generated[^/]*$/i;
const LINES_OF = /\.(?:[cm]?[jt]sx?|css|html|md|sh|py|ya?ml|toml|sql)$|^\.ci\/run$|(?:^|\/)Dockerfile$/;
/** Generated whole, or a form of its own. */
const GENERATED = [
  'server/schema.sql',
  'scripts/schema-dump.expected.sql',
  'web/shared/api/portal-types.ts',
  'web/shared/api/admin-types.ts',
];

const LONG_LINE = new RegExp(`[^\\n]{${LINE_CHARS_MAX + 1}}`);

/** Every breach in the tree, as lines. */
export function findBreaches(root = ROOT) {
  const below = FOLDERS.flatMap((folder) => filesBelow(root, folder, SKIPPED));
  const paths = [...topFiles(root), ...below].filter(
    (path) => LINES_OF.test(path) && !GENERATED.includes(path) && !EMITTED.test(path),
  );
  const files = new Map(paths.map((path) => [path, readText(join(root, path))]));
  const code = new Map([...files].filter(([path]) => isCode(path)));
  return [
    ...[...files].flatMap(([path, text]) => [...checkLines(path, text), ...checkMerged(path, text)]),
    ...[...code].flatMap(([path, text]) => checkSizes(path, text)),
    ...findCircles(code),
  ];
}

function topFiles(root) {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);
}

/**
 * Lines over the limit. A long address does not count: it has no place to break. What is in a fenced block of
 * Markdown, or in a template of several lines that is not SQL, is content: a line break would change what it
 * makes.
 */
export function checkLines(path, text) {
  if (!LONG_LINE.test(text)) return [];
  const isContent = contentLines(path, text);
  const comments = isCode(path) ? commentLines(text) : new Set();
  return text.split('\n').flatMap((whole, at) => {
    const line = whole.replace(/https?:\/\/\S{60,}/g, '');
    const length = [...line].length;
    if (length <= LINE_CHARS_MAX || isContent.has(at + 1) || isUnbreakable(path, line, comments.has(at + 1)))
      return [];
    return [`${path}:${at + 1}: a line of ${length} characters: ${LINE_CHARS_MAX} at most`];
  });
}

/** Left by an unfinished merge. */
export function checkMerged(path, text) {
  return text
    .split('\n')
    .flatMap((line, at) =>
      /^(?:<{7}|>{7}) /.test(line) ? [`${path}:${at + 1}: an unfinished merge: choose a side`] : [],
    );
}

function contentLines(path, text) {
  if (path.endsWith('.md')) return fencedLines(text);
  return isCode(path) && !path.endsWith('store.ts') ? templateLines(text) : new Set();
}

/** Numbers of the lines inside fences; a fence that nothing closes has none. */
function fencedLines(text) {
  const lines = new Set();
  let inside = [];
  let fence = null;
  for (const [at, line] of text.split('\n').entries()) {
    const mark = /^\s*(```|~~~)/.exec(line)?.[1];
    if (fence === null && mark !== undefined) [fence, inside] = [mark, []];
    else if (fence !== null && mark === fence) {
      for (const each of inside) lines.add(each);
      fence = null;
    } else inside.push(at + 1);
  }
  return lines;
}

/**
 * A row of a Markdown table is one line by its syntax; a string that is longer than a line cannot be shorter.
 * A comment can be.
 */
function isUnbreakable(path, line, isComment) {
  if (path.endsWith('.md')) return /^\s*\||^`[^`]*`[,;]?$/.test(line);
  if (!isCode(path)) return false;
  return isComment ? /^\s*\* \|/.test(line) : /['"`/].*['"`/]/.test(line);
}

/**
 * A file or a function of too many lines, and a function of too many parameters. Tests are measured by the
 * file alone.
 */
export function checkSizes(path, text) {
  const breaches = [];
  const lines = text.split('\n').length - 1;
  const isTest = /(^|\/)test\/|\.test\.ts$|(^|\/)testkit\/|^bench\//.test(path);
  if (lines > FILE_LINES_MAX && !isTest)
    breaches.push(`${path}: ${lines} lines: ${FILE_LINES_MAX} at most; give it its real parts`);
  const source = parse(path, text);
  const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line + 1;
  const visit = (node) => {
    if (ts.isFunctionLike(node) && node.body !== undefined) {
      const first = lineOf(node.getStart(source));
      const own = lineOf(node.end) - first + 1;
      const name = node.name?.getText() ?? 'a function';
      if (own > FUNCTION_LINES_MAX && !isTest && !isRouteTable(path, node))
        breaches.push(`${path}:${first}: ${name} has ${own} lines: ${FUNCTION_LINES_MAX} at most`);
      if (node.parameters.length > PARAMETERS_MAX)
        breaches.push(
          `${path}:${first}: ${name} takes ${node.parameters.length} parameters: ${PARAMETERS_MAX} at most`,
        );
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return breaches;
}

/** A function that registers routes is a table with schemas in it, and reads as one. */
function isRouteTable(path, node) {
  return /routes\.ts$/.test(path) && /Routes?$/.test(node.name?.getText() ?? '');
}

/**
 * Files that import each other, by however many steps; an import of types alone counts, for it ties the two
 * as well.
 */
export function findCircles(files) {
  const graph = new Map();
  for (const [path, text] of files) {
    const targets = importsOf(text)
      .filter(({ from }) => from?.startsWith('.'))
      .map(({ from }) => normalize(join(dirname(path), from)))
      .filter((target) => files.has(target));
    graph.set(path, [...new Set(targets)]);
  }
  const alone = [...graph].flatMap(([path, targets]) =>
    targets.includes(path) ? [`${path}: imports itself`] : [],
  );
  const circles = stronglyConnected(graph).map(
    (circle) => `${circle[0]}: imports itself by way of ${circle.slice(1).join(', ')}`,
  );
  return [...alone, ...circles];
}

/** Tarjan's components of more than one file, each sorted. */
function stronglyConnected(graph) {
  const index = new Map();
  const low = new Map();
  const stack = [];
  const onStack = new Set();
  const found = [];
  const visit = (node) => {
    index.set(node, index.size);
    low.set(node, index.get(node));
    stack.push(node);
    onStack.add(node);
    for (const next of graph.get(node)) {
      if (!index.has(next)) {
        visit(next);
        low.set(node, Math.min(low.get(node), low.get(next)));
      } else if (onStack.has(next)) low.set(node, Math.min(low.get(node), index.get(next)));
    }
    if (low.get(node) !== index.get(node)) return;
    const component = stack.splice(stack.indexOf(node));
    for (const each of component) onStack.delete(each);
    if (component.length > 1) found.push(component.sort());
  };
  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return found;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) report(findBreaches());
