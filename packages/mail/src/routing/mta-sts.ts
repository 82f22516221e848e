/** MTA Strict Transport Security: reading records and policies, and what follows from them. Pure. RFC 8461 */

/** A policy as published at https://mta-sts.<domain>/.well-known/mta-sts.txt. */
export interface MtaStsPolicy {
  readonly mode: 'enforce' | 'testing' | 'none';
  /** Host names or `*.` patterns, lower case; empty only in mode none. */
  readonly mx: readonly string[];
  readonly maxAgeSeconds: number;
}

/** Octets of a policy that are read. RFC 8461 §3.3 suggests 64 KB. */
export const MAX_POLICY_BYTES = 65_536;
/** A year, the longest that RFC 8461 §3.2 allows. */
const MAX_AGE_SECONDS = 31_557_600;
/** Patterns of one policy. */
const MAX_PATTERNS = 200;

/** Where the policy of a domain is published. */
export function policyUrl(domain: string): string {
  return `https://mta-sts.${domain}/.well-known/mta-sts.txt`;
}

/** The name of the TXT record. */
export function recordName(domain: string): string {
  return `_mta-sts.${domain}`;
}

/**
 * The policy id in the TXT records of `_mta-sts.<domain>`; null where there is not exactly one well-formed
 * one. RFC 8461 §3.1
 */
export function readRecord(records: readonly string[]): string | null {
  const ours = records.filter((text) => /^v=STSv1\s*;/.test(text));
  if (ours.length !== 1) return null;
  const fields = ours[0]!.split(';').map((field) => field.trim());
  const id = fields
    .map((field) => /^id=([A-Za-z0-9]{1,32})$/.exec(field)?.[1])
    .find((value) => value !== undefined);
  return id ?? null;
}

/**
 * Reads a policy; null where it is not one. Unknown fields are passed over, the first of repeated ones
 * counts. RFC 8461 §3.2
 */
export function readPolicy(text: string): MtaStsPolicy | null {
  const fields = new Map<string, string>();
  const mx: string[] = [];
  for (const line of text.slice(0, MAX_POLICY_BYTES).split(/\r?\n/)) {
    if (line.trim() === '') continue;
    const field = readField(line);
    if (field === null) return null;
    const { name, value } = field;
    if (name === 'mx') mx.push(value.toLowerCase());
    else if (!fields.has(name)) fields.set(name, value);
  }
  const mode = fields.get('mode');
  const age = fields.get('max_age') ?? '';
  if (fields.get('version') !== 'STSv1' || !/^\d{1,10}$/.test(age)) return null;
  if (mode !== 'enforce' && mode !== 'testing' && mode !== 'none') return null;
  if (mode !== 'none' && (mx.length === 0 || mx.length > MAX_PATTERNS || !mx.every(isPattern))) return null;
  return { mode, mx, maxAgeSeconds: Math.min(Number(age), MAX_AGE_SECONDS) };
}

/** `name: value` without blanks around either; null for anything else, a CR inside included. RFC 8461 §3.2 */
function readField(line: string): { name: string; value: string } | null {
  const colon = line.indexOf(':');
  const name = /^[A-Za-z0-9_.-]{1,32}(?=[ \t]*$)/.exec(line.slice(0, Math.max(colon, 0)))?.[0];
  if (name === undefined || /[\r\u2028\u2029]/.test(line)) return null;
  return { name, value: trimBlanks(line.slice(colon + 1)) };
}

/** Without spaces and tabs at either end. */
function trimBlanks(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === ' ' || text[end - 1] === '\t')) end--;
  return text.slice(0, end).replace(/^[ \t]+/, '');
}

function isPattern(text: string): boolean {
  return /^(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{1,63}$/.test(text);
}

/** True if the policy lets this MX host have the mail; a wildcard matches one label. RFC 8461 §4.1 */
export function allowsHost(policy: MtaStsPolicy, host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, '');
  return policy.mx.some((pattern) => {
    if (!pattern.startsWith('*.')) return pattern === name;
    const dot = name.indexOf('.');
    return dot > 0 && name.slice(dot) === pattern.slice(1);
  });
}

/** A policy that was fetched, with the id it was announced by. */
export interface CachedPolicy {
  readonly id: string;
  readonly policy: MtaStsPolicy;
  readonly fetchedAt: Date;
}

/**
 * Decides whether to fetch, and which policy holds if that fails. `announcedId` null: there is no (readable)
 * record now. A cached policy holds to its end even without a record, so that an attacker who takes the
 * record away gains nothing. RFC 8461 §3.3, §5.1
 */
export function decidePolicy(
  cached: CachedPolicy | null,
  announcedId: string | null,
  now: Date,
): { readonly fetch: boolean; readonly policy: MtaStsPolicy | null } {
  const valid =
    cached !== null && now.getTime() < cached.fetchedAt.getTime() + cached.policy.maxAgeSeconds * 1_000;
  const policy = valid ? cached.policy : null;
  if (announcedId === null) return { fetch: false, policy };
  return { fetch: !valid || cached.id !== announcedId, policy };
}
