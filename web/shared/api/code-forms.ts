import type { ApiCall } from './calls.ts';
import { toCurl } from './curl.ts';

/** A way to write a call of the API down. */
export interface CodeForm {
  /** Its name, the same in every language. */
  readonly name: string;
  write(origin: string, call: ApiCall): string;
}

/** What "The same as code" offers; with a second one the reader chooses. */
export const CODE_FORMS: readonly [CodeForm, ...CodeForm[]] = [{ name: 'curl', write: toCurl }];
