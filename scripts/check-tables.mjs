#!/usr/bin/env node
// Which domain writes which table, held: each table of server/schema.sql has one writing domain, by the SQL
// of the stores. What must write a table that is another's is listed below, with why. Each breach is one
// line.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringsOf } from './source-text.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

const ERASURE = 'erasing a message on request blanks every word of it, wherever it is, in one transaction';

/** Table → the domain that also writes it, and why. One that writes it no longer is a breach. */
export const EXCEPTIONS = {
  messages: { domain: 'retention', why: ERASURE },
  message_contents: { domain: 'retention', why: `${ERASURE}; the sweep deletes what is past its period` },
  leaf_contents: { domain: 'retention', why: ERASURE },
  attempts: { domain: 'retention', why: ERASURE },
  delivery_reports: { domain: 'retention', why: ERASURE },
  events: { domain: 'retention', why: ERASURE },
  webhook_deliveries: { domain: 'retention', why: ERASURE },
  idempotency_claims: { domain: 'retention', why: ERASURE },
};

const WRITE =
  /\b(?:insert\s+into|update(?:\s+only)?|delete\s+from(?:\s+only)?|merge\s+into|truncate(?:\s+table)?)\s+(\w+)/gi;
/** A table whose name is put together while running cannot be read here. */
const UNREADABLE = /\b(?:insert\s+into|delete\s+from|merge\s+into|truncate(?:\s+table)?)\s+$/i;

/** Every breach in the tree, as lines. */
export function findBreaches() {
  const files = new Map(
    storesBelow('server/src').map((path) => [path, readFileSync(join(root, path), 'utf8')]),
  );
  return checkTables(files, tablesOf(readFileSync(join(root, 'server/schema.sql'), 'utf8')), EXCEPTIONS);
}

export function tablesOf(schema) {
  return new Set([...schema.matchAll(/^create table (\w+)/gim)].map(([, table]) => table));
}

/** `files`: path → text of everything that may have SQL. */
export function checkTables(files, tables, exceptions) {
  const breaches = [];
  const writers = new Map([...tables].map((table) => [table, new Map()]));
  for (const [path, text] of files) {
    const domain = path.split('/')[2];
    for (const { value, line } of stringsOf(text)) {
      if (UNREADABLE.test(value))
        breaches.push(`${path}:${line}: writes a table that only running tells: write out its name`);
      for (const [, name] of value.matchAll(WRITE)) {
        const table = name.toLowerCase();
        const places = writers.get(table);
        if (places !== undefined) places.set(domain, [...(places.get(domain) ?? []), `${path}:${line}`]);
      }
    }
  }
  for (const [table, places] of writers) breaches.push(...checkTable(table, places, exceptions[table]));
  return [...breaches, ...staleExceptions(writers, exceptions)];
}

function checkTable(table, places, exception) {
  const domains = [...places.keys()].filter((domain) => domain !== exception?.domain);
  if (domains.length < 2) return [];
  const written = domains.map((domain) => `${domain} (${places.get(domain).join(', ')})`).join(' and ');
  return [`${table}: written by ${written}: one domain writes a table, the others call its operation`];
}

function staleExceptions(writers, exceptions) {
  return Object.entries(exceptions).flatMap(([table, { domain }]) =>
    (writers.get(table)?.size ?? 0) > 1 && writers.get(table).has(domain)
      ? []
      : [`${table}: ${domain} is listed as its second writer and is not: remove the exception`],
  );
}

/** The stores, and the platform, whose files may have SQL of their own (see check-walls.mjs). */
function storesBelow(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return storesBelow(path);
    return /(?:^|\/|-)store\.ts$/.test(path) || /\/platform\/.*\.ts$/.test(path) ? [path] : [];
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const breaches = findBreaches();
  for (const breach of breaches) console.error(breach);
  process.exitCode = breaches.length === 0 ? 0 : 1;
}
