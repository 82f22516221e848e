import { CALLS } from '../../../../sdks/generate/snippets/calls-generated.mjs';
import { callOf, LANGUAGES, setupOf, snippetOf } from '../../../../sdks/generate/snippets/index.mjs';
import type { ApiCall } from '../../../shared/api/calls.ts';
import { toCurl } from '../../../shared/api/curl.ts';

/** A way to write a call of the API down. */
export interface CodeForm {
  /** As sdks/names.json has it; `curl`. */
  readonly id: string;
  /** Its name, the same in every language. */
  readonly name: string;
  /** The beginning of a program. */
  readonly setup: string | null;
  /** Null: this language cannot express it. */
  write(origin: string, call: ApiCall): string | null;
}

const CURL: CodeForm = { id: 'curl', name: 'curl', setup: null, write: toCurl };

/** Forms of "The same as code". */
export const CODE_FORMS: readonly [CodeForm, ...CodeForm[]] = [
  CURL,
  ...LANGUAGES.map((language) => ({
    id: language.id,
    name: language.name,
    setup: setupOf(language),
    write(_origin: string, { method, path, body, key }: ApiCall) {
      const file = body instanceof Blob;
      const request = { method, path: `/v1${path}`, file, key: key ?? null };
      const call = callOf(file ? request : { ...request, body }, CALLS);
      return call === null ? null : snippetOf(language, call, CALLS);
    },
  })),
];

/** Where the browser keeps the choice, which /docs shares. */
const KEY = 'acuse.code';

/** The form that the reader chose last. */
export function keptForm(): CodeForm {
  try {
    const id = localStorage.getItem(KEY);
    return CODE_FORMS.find((each) => each.id === id) ?? CURL;
  } catch {
    return CURL;
  }
}

export function keepForm({ id }: CodeForm): void {
  try {
    localStorage.setItem(KEY, id);
  } catch {
    // Without storage the choice lasts until the page is left.
  }
}

/** The frame of a program with these calls: the address, and its beginning. */
export function beginning(
  origin: string,
  { name, setup }: CodeForm,
): readonly { title: string; code: string }[] {
  if (setup === null) return [];
  return [
    { title: 'Shell', code: `export ACUSE_URL=${origin} ACUSE_API_KEY=acuse_…` },
    { title: name, code: setup },
  ];
}
