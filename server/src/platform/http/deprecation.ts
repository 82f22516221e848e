import type { RouteOptions } from 'fastify';

/** Deprecated operations, and what to call instead: docs/versioning.md. */
export interface Deprecation {
  /** `2027-03-01`: since when it is deprecated. */
  readonly since: string;
  /** The day from which it may be gone: a year after `since` at least. */
  readonly sunset: string;
  /** Says what takes its place, as a sentence. */
  readonly instead: string;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    deprecation?: Deprecation;
  }
}

const YEAR_MS = 365 * 86_400_000;
const DAY = /^\d{4}-\d\d-\d\d$/;
const GUIDE = '</docs/versioning>; rel="deprecation"; type="text/html"';

/** Header fields of every answer, refusals too. RFC 9745 §2; RFC 8594 §3 */
export function deprecationHeaders({ since, sunset }: Deprecation): Readonly<Record<string, string>> {
  return {
    Deprecation: `@${Date.parse(since) / 1_000}`,
    Sunset: new Date(sunset).toUTCString(),
    Link: GUIDE,
  };
}

/** For onRoute. Throws if a deprecation gives less than a year. */
export function checkDeprecation({ method, url, config }: RouteOptions): void {
  const deprecation = config?.deprecation;
  if (deprecation === undefined) return;
  const { since, sunset } = deprecation;
  const isTime = [since, sunset].every((day) => DAY.test(day) && !Number.isNaN(Date.parse(day)));
  if (!isTime || Date.parse(sunset) - Date.parse(since) < YEAR_MS)
    throw new Error(`${String(method)} ${url} is deprecated for less than a year: ${since} to ${sunset}`);
}

export function deprecationText({ since, sunset, instead }: Deprecation): string {
  return `Deprecated since ${since}, and may be gone from ${sunset} on. ${instead}`;
}
