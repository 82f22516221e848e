import { timeText } from '../time-text.ts';

/**
 * Array parameters in PostgreSQL's own text form ("Array Input and Output Syntax"), made in one pass. The
 * driver would look at every element of every array with regular expressions, which is most of what a grouped
 * statement costs here.
 */

/** Of elements that never need quotes: ids, numbers, booleans, times in ISO 8601. */
export function plainArray(values: readonly (string | number | boolean)[]): string {
  return `{${values.join()}}`;
}

/** Of times; null is NULL. */
export function timeArray(times: readonly (Date | null)[]): string {
  let out = '{';
  for (let at = 0; at < times.length; at++) {
    const time = times[at]!;
    const text = time === null ? 'NULL' : timeText(time);
    out += at > 0 ? `,${text}` : text;
  }
  return `${out}}`;
}

const NEEDS_ESCAPE = /["\\]/;
const TO_ESCAPE = /["\\]/g;

/** Of any text; null is NULL. */
export function textArray(values: readonly (string | null)[]): string {
  let out = '{';
  for (let at = 0; at < values.length; at++) {
    const value = values[at]!;
    if (at > 0) out += ',';
    if (value === null) out += 'NULL';
    else out += `"${NEEDS_ESCAPE.test(value) ? value.replace(TO_ESCAPE, '\\$&') : value}"`;
  }
  return `${out}}`;
}

/**
 * Of texts that are JSON as JSON.stringify writes it. It escapes what an array must have escaped, and such
 * text holds no control character that it would write in a form of its own: a third of textArray's time.
 */
export function jsonArray(values: readonly string[]): string {
  let out = '{';
  for (let at = 0; at < values.length; at++) out += `${at > 0 ? ',' : ''}${JSON.stringify(values[at])}`;
  return `${out}}`;
}
