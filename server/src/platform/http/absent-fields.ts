import type { TSchema } from 'typebox';

/** `null` for an optional field means absent, in every body. A field whose schema takes null keeps it. */

/** Returns the same value if nothing is left out; never changes its input. */
type LeaveOut = (value: unknown) => unknown;

interface Shape {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
  readonly items?: TSchema;
  readonly anyOf?: readonly TSchema[];
}

/** Null when the schema has no such field. */
export function absentFields(schema: TSchema): LeaveOut | null {
  const { properties, required = [], items } = schema as Shape;
  if (properties !== undefined) return inObject(properties, new Set(required));
  const inItem = items === undefined ? null : absentFields(items);
  return inItem === null ? null : inArray(inItem);
}

function inArray(inItem: LeaveOut): LeaveOut {
  return (value) => {
    if (!Array.isArray(value)) return value;
    let made: unknown[] | null = null;
    for (let at = 0; at < value.length; at++) {
      const item = inItem(value[at]);
      if (item === value[at]) continue;
      made ??= [...value];
      made[at] = item;
    }
    return made ?? value;
  };
}

function inObject(properties: Readonly<Record<string, TSchema>>, required: ReadonlySet<string>): LeaveOut {
  const optional = new Set(
    Object.keys(properties).filter((name) => !required.has(name) && !takesNull(properties[name]!)),
  );
  const deeper = new Map(
    Object.entries(properties).flatMap(([name, each]) => {
      const inside = absentFields(each);
      return inside === null ? [] : [[name, inside] as const];
    }),
  );
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const given = value as Readonly<Record<string, unknown>>;
    let made: Record<string, unknown> | null = null;
    for (const name in given) {
      const field = given[name];
      if (field === null) {
        if (!optional.has(name)) continue;
        made ??= { ...given };
        delete made[name];
      } else if (typeof field === 'object') {
        const inside = deeper.get(name);
        const kept = inside === undefined ? field : inside(field);
        if (kept === field) continue;
        made ??= { ...given };
        made[name] = kept;
      }
    }
    return made ?? given;
  };
}

function takesNull(schema: TSchema): boolean {
  const { type, anyOf } = schema as Shape;
  return type === 'null' || (Array.isArray(type) && type.includes('null')) || (anyOf ?? []).some(takesNull);
}
