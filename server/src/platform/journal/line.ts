import type { SecretBox } from '../secrets.ts';
import { type Entry, FIELDS, type Note, type NoteKind } from './note.ts';

export const VERSION = 1;
const SEALED_FOR = 'journal';

export interface LineFacts {
  /** Null: the installation had no log yet. */
  readonly installation: string | null;
  readonly secrets: SecretBox;
}

export function writeLine({ at, note }: Entry, { installation, secrets }: LineFacts): string {
  const { open, sealed } = FIELDS[note.kind];
  const given = note as unknown as Record<string, unknown>;
  const pick = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, given[name]]));
  const line = {
    v: VERSION,
    installation,
    at: at.toISOString(),
    kind: note.kind,
    ...pick(open),
    ...(sealed.length > 0 && {
      sealed: secrets.seal(Buffer.from(JSON.stringify(pick(sealed))), SEALED_FOR).toString('base64'),
    }),
  };
  return `${JSON.stringify(line)}\n`;
}

type ReadLine =
  | { readonly kind: 'entry'; readonly entry: Entry; readonly installation: string | null }
  /** Another installation's entry, not read. */
  | { readonly kind: 'foreign'; readonly installation: string }
  /** A newer version, or an unknown kind. */
  | { readonly kind: 'newer' }
  | { readonly kind: 'unreadable'; readonly reason: string };

export function readLine(text: string, { installation, secrets }: LineFacts): ReadLine {
  const line = parseObject(text);
  if (line === null || typeof line['v'] !== 'number')
    return { kind: 'unreadable', reason: 'it is not an entry of a journal' };
  if (line['v'] !== VERSION) return { kind: 'newer' };
  const from = line['installation'];
  if (typeof from === 'string' && installation !== null && from !== installation)
    return { kind: 'foreign', installation: from };
  const at = new Date(String(line['at']));
  const fields = typeof line['kind'] === 'string' ? fieldsOf(line['kind']) : null;
  if (fields === null) return { kind: 'newer' };
  const secret = fields.sealed.length === 0 ? {} : openSealed(line['sealed'], secrets);
  if (typeof secret === 'string') return { kind: 'unreadable', reason: secret };
  const given = { ...line, ...secret } as Record<string, unknown>;
  const names = [...fields.open, ...fields.sealed];
  if (Number.isNaN(at.getTime()) || !names.every((name) => isField(given[name])))
    return { kind: 'unreadable', reason: 'it lacks what an entry of its kind has' };
  const note = Object.fromEntries(['kind', ...names].map((name) => [name, given[name]])) as unknown as Note;
  return { kind: 'entry', entry: { at, note }, installation: typeof from === 'string' ? from : null };
}

const fieldsOf = (kind: string) => (Object.hasOwn(FIELDS, kind) ? FIELDS[kind as NoteKind] : null);
const isField = (value: unknown) => value === null || typeof value === 'string';

/** Returns the sealed fields, or why they cannot be opened. */
function openSealed(given: unknown, secrets: SecretBox): Record<string, unknown> | string {
  try {
    return (
      parseObject(secrets.open(Buffer.from(String(given), 'base64'), SEALED_FOR).toString()) ?? 'damaged'
    );
  } catch (error) {
    return (error as Error).message;
  }
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
