import { useFormat } from '../../../shared/format/format.ts';
import { useWords } from '../../../shared/words/use-words.ts';
import { useMoney } from './currency.ts';
import classes from './recorded-change.module.css';
import { recordedWords } from './recorded-words.ts';

type Facts = Readonly<Record<string, unknown>> | null;

/** What an entry of an audit log says was changed: a line a field, as it was → as it is. */
export function RecordedChange({ before, after }: { before: Facts; after: Facts }) {
  const words = useWords(recordedWords);
  const valueText = useValueText();
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const known: Readonly<Record<string, string>> = words.fields;
  if (names.length === 0) return null;
  return (
    <div className={classes['changes']}>
      {names.map((name) => {
        const [was, is] = [before?.[name], after?.[name]];
        return (
          <div key={name}>
            <span className={classes['name']}>{known[name] ?? name}</span>{' '}
            {was !== undefined && <del>{valueText(name, was)}</del>}
            {was !== undefined && is !== undefined && <span aria-hidden="true">{' → '}</span>}
            {is !== undefined && <ins>{valueText(name, is)}</ins>}
          </div>
        );
      })}
    </div>
  );
}

function useValueText(): (name: string, value: unknown) => string {
  const words = useWords(recordedWords);
  const format = useFormat();
  const money = useMoney();
  const known: Readonly<Record<string, string>> = words.values;
  return (name, value) => {
    if (typeof value === 'number') return name.endsWith('_cents') ? money(value) : format.number(value);
    if (typeof value === 'boolean') return value ? words.yes : words.no;
    if (value === null) return words.none;
    if (Array.isArray(value)) return value.map(String).join(', ');
    return typeof value === 'string' ? (known[value] ?? value) : JSON.stringify(value);
  };
}
