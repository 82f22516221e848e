import { useEffect, useMemo, useState } from 'react';
import { complete, type JsonObject, readTyped, sampleOf, type TypedData } from './variables.ts';

/** The data of previews and test messages, as somebody types it. */
export interface TestData {
  readonly text: string;
  readonly typed: TypedData;
  /** The last that was JSON. */
  readonly variables: JsonObject;
  setText(text: string): void;
  /** Adds what these sources need and it lacks; null: nothing is missing. */
  completion(sources: readonly string[]): string | null;
}

/** Kept as long as the tab: it may hold data of real people. */
const KEY = 'acuse.template-data.';

/** `id`: of the template; null of a new one. `sources`: what the data begins with. */
export function useTestData(id: string | null, sources: readonly string[]): TestData {
  const key = KEY + (id ?? 'new');
  const [text, setText] = useState(() => kept(key) ?? pretty(sampleOf(sources)));
  const typed = useMemo(() => readTyped(text), [text]);
  const [variables, setVariables] = useState<JsonObject>('value' in typed ? typed.value : {});
  useEffect(() => {
    if ('value' in typed) setVariables(typed.value);
  }, [typed]);
  return {
    text,
    typed,
    variables,
    setText(next) {
      setText(next);
      keep(key, next);
    },
    completion(from) {
      if (!('value' in typed)) return null;
      const made = pretty(complete(typed.value, sampleOf(from)));
      return made === pretty(typed.value) ? null : made;
    },
  };
}

function pretty(value: JsonObject): string {
  return JSON.stringify(value, null, 2);
}

function kept(key: string): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}

function keep(key: string, text: string): void {
  try {
    sessionStorage.setItem(key, text);
  } catch {
    // Without storage it lasts until the page is left.
  }
}
