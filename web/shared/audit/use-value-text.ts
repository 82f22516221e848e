import { usePreferences } from '../app/preferences.tsx';
import { useFormat } from '../format/format.ts';
import { capScopeText } from '../words/cap-scope.ts';
import { useWords } from '../words/use-words.ts';
import { recordedWords } from './recorded-words.ts';

/** A moment as the API writes it (RFC 3339 in UTC, with milliseconds). */
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/**
 * Values that an audit log has of fields, in the reader's words, figures and zone; others are shown as they
 * are. `money`: of a field in hundredths of the currency.
 */
export function useValueText(money?: (cents: number) => string): (name: string, value: unknown) => string {
  const words = useWords(recordedWords);
  const format = useFormat();
  const { language } = usePreferences();
  const known: Readonly<Record<string, string>> = words.values;
  return function textOf(name, value): string {
    if (typeof value === 'number')
      return money !== undefined && name.endsWith('_cents') ? money(value) : format.number(value);
    if (typeof value === 'boolean') return value ? words.yes : words.no;
    if (value === null || value === undefined) return words.none;
    if (Array.isArray(value)) return value.map((each) => textOf(name, each)).join(', ');
    if (typeof value !== 'string') return JSON.stringify(value);
    if (name === 'of') return capScopeText(value, language);
    return MOMENT.test(value) ? format.dateTime(value) : (known[value] ?? value);
  };
}
