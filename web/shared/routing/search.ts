/**
 * A page's search parameters, typed: what the address holds is read by a schema, and what stands at its
 * default is left out of the address. Anything that does not fit reads as the default: an address may come
 * from anywhere.
 */
export interface Parameter<T> {
  readonly fallback: T;
  /** Undefined: does not fit. */
  read(text: string): T | undefined;
  write(value: T): string;
}

export type SearchSchema<S> = { readonly [K in keyof S]: Parameter<S[K]> };

/** Characters of a parameter that are read. */
const CHARS_MAX = 1_000;

export function text(fallback = ''): Parameter<string> {
  return { fallback, read: (given) => given.slice(0, CHARS_MAX), write: (value) => value };
}

export function oneOf<const T extends string>(values: readonly T[], fallback: T): Parameter<T> {
  return { fallback, read: (given) => values.find((each) => each === given), write: (value) => value };
}

export function number(fallback: number, { min = 0, max = Number.MAX_SAFE_INTEGER } = {}): Parameter<number> {
  return {
    fallback,
    read(given) {
      const value = Number(given);
      return given !== '' && Number.isInteger(value) && value >= min && value <= max ? value : undefined;
    },
    write: String,
  };
}

export type RawSearch = Readonly<Record<string, string>>;

export function readSearch<S>(schema: SearchSchema<S>, raw: RawSearch): S {
  const entries = Object.entries(schema as SearchSchema<Record<string, unknown>>).map(([name, parameter]) => {
    const given = raw[name];
    return [name, (given === undefined ? undefined : parameter.read(given)) ?? parameter.fallback];
  });
  return Object.fromEntries(entries) as S;
}

/** Defaults are left out. */
export function writeSearch<S>(schema: SearchSchema<S>, values: Partial<S>): RawSearch {
  const entries = Object.entries(schema as SearchSchema<Record<string, unknown>>).flatMap(
    ([name, parameter]) => {
      const value = (values as Record<string, unknown>)[name];
      if (value === undefined || value === parameter.fallback) return [];
      return [[name, parameter.write(value)]];
    },
  );
  return Object.fromEntries(entries);
}

export function parseSearchText(searchText: string): RawSearch {
  return Object.fromEntries(new URLSearchParams(searchText));
}

export function searchText(search: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(search).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}
