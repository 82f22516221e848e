import { timeText } from '../time-text.ts';

/**
 * Array parameters in PostgreSQL's own text form ("Array Input and Output Syntax"), made in one pass: the
 * driver would run regular expressions over every element.
 */

/** Elements that never need quotes: ids, numbers, booleans, times in ISO 8601. */
export function plainArray(values: readonly (string | number | boolean)[]): string {
  return `{${values.join()}}`;
}

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

/** Texts made by JSON.stringify, which already escapes what an array needs: a third of textArray's time. */
export function jsonArray(values: readonly (string | null)[]): string {
  let out = '{';
  for (let at = 0; at < values.length; at++) {
    const value = values[at]!;
    out += `${at > 0 ? ',' : ''}${value === null ? 'NULL' : JSON.stringify(value)}`;
  }
  return `${out}}`;
}
