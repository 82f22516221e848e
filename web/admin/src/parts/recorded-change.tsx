import { recordedWords } from '../../../shared/audit/recorded-words.ts';
import { useValueText } from '../../../shared/audit/use-value-text.ts';
import { useFormat } from '../../../shared/format/format.ts';
import { useWords } from '../../../shared/words/use-words.ts';
import { useMoney } from './currency.ts';
import classes from './recorded-change.module.css';

type Facts = Readonly<Record<string, unknown>> | null;

/** More are folded: an account that was made has all its facts (values). */
const OPEN_MAX = 5;

/** One line per field: before → after. */
export function RecordedChange({ before, after }: { before: Facts; after: Facts }) {
  const words = useWords(recordedWords);
  const format = useFormat();
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  if (names.length === 0) return null;
  const lines = names.map((name) => <Line key={name} name={name} was={before?.[name]} is={after?.[name]} />);
  if (names.length <= OPEN_MAX) return <div className={classes['changes']}>{lines}</div>;
  return (
    <details className={classes['changes']}>
      <summary>{words.more(format.number(names.length))}</summary>
      {lines}
    </details>
  );
}

function Line({ name, was, is }: { name: string; was: unknown; is: unknown }) {
  const words = useWords(recordedWords);
  const valueText = useValueText(useMoney());
  const known: Readonly<Record<string, string>> = words.fields;
  return (
    <div>
      <span className={classes['name']}>{known[name] ?? name}</span>{' '}
      {was !== undefined && <del>{valueText(name, was)}</del>}
      {was !== undefined && is !== undefined && <span aria-hidden="true">{' → '}</span>}
      {is !== undefined && <ins>{valueText(name, is)}</ins>}
    </div>
  );
}
