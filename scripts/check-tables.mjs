#!/usr/bin/env node
// Which domain writes which table, held: each table of server/schema.sql has one writing domain, by the SQL
// in the sources of the server. What must write a table that is another's is listed below, with why. Each
// breach is one line.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { domainOf } from './domains.mjs';
import { filesBelow, isCode, parse, ROOT, readText, report } from './source-files.mjs';

/** Table → the domain that also writes it, and why. One that writes it no longer is a breach. */
export const EXCEPTIONS = {
  shares: {
    domain: 'operate/retention',
    why: 'the sweep of records deletes what refers to a message, and surfaces are above it',
  },
  message_contents: {
    domain: 'operate/retention',
    why: 'the sweep deletes what is past its period, and writes down in the same transaction that it did',
  },
};

/** Stands for what a template or a sum puts in and this check cannot read. */
const PUT_IN = '\u0000';
/** Stands for a table whose name the class of a store was handed: `this.#tables.sessions`. */
const HANDED = '\u0001';
const IS_HANDED = /^this\.#tables\.\w+$/;
/** A table's name, with its schema, in quotes or without. */
const NAME = String.raw`(?:only\s+|table\s+)*((?:"?[\w${PUT_IN}]+"?\.)?"?[\w${PUT_IN}${HANDED}]+"?)`;
const WRITES = [
  new RegExp(String.raw`\b(?:insert\s+into|delete\s+from|merge\s+into|copy|alter\s+table)\s+${NAME}`, 'gi'),
  // Not `for update of`, nor `do update set`.
  new RegExp(String.raw`(?<!\b(?:for|key|do)\s+)\bupdate\s+${NAME}`, 'gi'),
  new RegExp(String.raw`\b(?:truncate|drop\s+table)\s+${NAME}((?:\s*,\s*[\w".${PUT_IN}]+)*)`, 'gi'),
];
/** Words of SQL alone, so that a text of another file than a store is taken for it. */
const ONLY_SQL =
  /\b(?:insert\s+into|delete\s+from|merge\s+into|truncate)\b|\bupdate\b[\s\S]*\bset\b|\bcopy\b[\s\S]*\b(?:from|to)\s+(?:stdin|stdout|program|')/i;
const SQL_COMMENT = /\/\*[\s\S]*?\*\/|--[^\n]*/g;

/** Every breach in the tree, as lines. */
export function findBreaches(root = ROOT, exceptions = EXCEPTIONS) {
  return checkTables(serverSources(root), tablesOf(readText(join(root, 'server/schema.sql'))), exceptions);
}

/** Path → text of every source of the server. */
export function serverSources(root) {
  const paths = filesBelow(root, 'server/src').filter(isCode);
  return new Map(paths.map((path) => [path, readText(join(root, path))]));
}

export function tablesOf(schema) {
  return new Set([...schema.matchAll(/^create table (\w+)/gim)].map(([, table]) => table));
}

/** `files`: path → text of every source of the server. */
export function checkTables(files, tables, exceptions) {
  const breaches = [];
  const writers = new Map([...tables].map((table) => [table, new Map()]));
  const classes = [...files].flatMap(([path, text]) => (isStore(path) ? classesOf(text) : []));
  for (const [path, text] of files) {
    const domain = domainOf(path) ?? 'app';
    const note = (table, line) => {
      const places = writers.get(table);
      if (places !== undefined) places.set(domain, (places.get(domain) ?? new Set()).add(`${path}:${line}`));
    };
    for (const { table, line } of handedTables(path, text, classes)) note(table, line);
    for (const { value, line } of statementsOf(path, text)) {
      for (const name of writtenIn(value)) {
        const table = name
          .toLowerCase()
          .replace(/"/g, '')
          .replace(/^public\./, '');
        if (table.includes(PUT_IN) && (isStore(path) || / (?:into|from) /i.test(value)))
          breaches.push(`${path}:${line}: writes a table that only running tells: write out its name`);
        note(table, line);
      }
    }
  }
  for (const [table, places] of writers) breaches.push(...checkTable(table, places, exceptions[table]));
  return [...new Set(breaches), ...staleExceptions(writers, exceptions)];
}

/** Classes of a store that writes tables which `new` names. */
function classesOf(text) {
  return [...text.matchAll(/^export class (\w+)(?=[\s\S]*this\.#tables\.)/gm)].map(([, name]) => name);
}

/** What `new` hands to such a class: whoever names a table there writes it. */
function handedTables(path, text, classes) {
  if (!classes.some((name) => text.includes(`new ${name}`))) return [];
  const source = parse(path, text);
  const found = [];
  ts.forEachChild(source, function visit(node) {
    if (ts.isNewExpression(node) && classes.includes(node.expression.getText()))
      for (const { initializer: named } of node.arguments[0]?.properties ?? [])
        if (named !== undefined && ts.isStringLiteralLike(named)) {
          const { line } = source.getLineAndCharacterOfPosition(named.getStart());
          found.push({ table: named.text, line: line + 1 });
        }
    ts.forEachChild(node, visit);
  });
  return found;
}

function writtenIn(statement) {
  const sql = statement.replace(SQL_COMMENT, ' ');
  return WRITES.flatMap((pattern) =>
    [...sql.matchAll(pattern)].flatMap(([, name, more = '']) => [
      name,
      ...more.split(/[\s,]+/).filter(Boolean),
    ]),
  );
}

/**
 * The strings, templates and sums of a file: constants of the file are put in as what they say, all else as
 * PUT_IN. Of a file that is not a store only what nobody would say but in SQL.
 */
export function statementsOf(path, text) {
  const source = parse(path, text);
  const constants = new Map();
  const found = [];
  const visit = (node) => {
    const value = textOf(node, constants);
    if (value === null) return ts.forEachChild(node, visit);
    const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    if (isStore(path) || ONLY_SQL.test(value)) found.push({ value, line });
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(source, function collect(node) {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer !== undefined)
      constants.set(node.name.text, node.initializer);
    ts.forEachChild(node, collect);
  });
  visit(source);
  return found;
}

/** Null for what is not a text. `depth` ends what a constant says of itself. */
function textOf(node, constants, depth = 0) {
  if (ts.isStringLiteralLike(node)) return node.text;
  const partOf = (part) => {
    if (IS_HANDED.test(part.getText())) return HANDED;
    const known = ts.isIdentifier(part) ? constants.get(part.text) : part;
    return known === undefined || depth > 9 ? PUT_IN : (textOf(known, constants, depth + 1) ?? PUT_IN);
  };
  if (ts.isTemplateExpression(node))
    return (
      node.head.text +
      node.templateSpans.map(({ expression, literal }) => partOf(expression) + literal.text).join('')
    );
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node))
    return textOf(node.expression, constants, depth);
  if (ts.isCallExpression(node) && /\.(?:join|concat)$/.test(node.expression.getText()))
    return joined(node, partOf);
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return null;
  const [left, right] = [partOf(node.left), partOf(node.right)];
  return left === PUT_IN && right === PUT_IN ? null : left + right;
}

/** `[a, b].join(' ')` of texts, and `a.concat(b)`. */
function joined(node, partOf) {
  const { expression, name } = node.expression;
  if (name.text === 'concat') {
    const parts = [expression, ...node.arguments].map(partOf);
    return parts[0] === PUT_IN ? null : parts.join('');
  }
  if (!ts.isArrayLiteralExpression(expression)) return null;
  const [between] = node.arguments.map(partOf);
  return expression.elements.map(partOf).join(between ?? ',');
}

function checkTable(table, places, exception) {
  const domains = [...places.keys()].filter((domain) => domain !== exception?.domain);
  if (domains.length < 2) return [];
  const written = domains.map((domain) => `${domain} (${[...places.get(domain)].join(', ')})`).join(' and ');
  return [`${table}: written by ${written}: one domain writes a table, the others call its operation`];
}

function staleExceptions(writers, exceptions) {
  return Object.entries(exceptions).flatMap(([table, { domain }]) =>
    (writers.get(table)?.size ?? 0) > 1 && writers.get(table).has(domain)
      ? []
      : [`${table}: ${domain} is listed as its second writer and is not: remove the exception`],
  );
}

export function isStore(path) {
  return /(?:^|\/|-)store\.ts$/.test(path);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) report(findBreaches());
