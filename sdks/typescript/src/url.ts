/** Paths and queries of requests. */
import { ConfigurationError } from './errors.ts';

/** Parameters whose value is a path of its own. */
const WITH_SLASHES: ReadonlySet<string> = new Set(['path']);

/** Throws ConfigurationError for a value that would name another path. */
export function pathOf(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (typeof value !== 'string' && typeof value !== 'number')
      throw new ConfigurationError(`${name} is missing: pass it as a string.`);
    const parts = WITH_SLASHES.has(name) ? String(value).split('/') : [String(value)];
    for (const part of parts)
      if (part === '' || part === '.' || part === '..')
        throw new ConfigurationError(`${name} is ${JSON.stringify(value)}, which does not name anything.`);
    return parts.map(encodeURIComponent).join('/');
  });
}

/** `?a=1&b=x,y`, or nothing. What is undefined or null is left out; lists are separated by commas. */
export function queryOf(query: object | undefined): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined && value !== null) pairs.append(name, textOf(value));
  return pairs.size === 0 ? '' : `?${pairs}`;
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? value.map(textOf).join(',') : String(value);
}
