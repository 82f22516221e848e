import { ArrowRight } from 'lucide-react';
import { recordedWords } from '../../../../shared/audit/recorded-words.ts';
import { useValueText } from '../../../../shared/audit/use-value-text.ts';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { Hidden } from '../../../../shared/ui/hidden.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import classes from './page.module.css';
import { auditWords } from './words.ts';

type Facts = Readonly<Record<string, unknown>> | null;

/** Each field that an entry names, as it was and as it is since. */
export function Changes({ before, after }: { before: Facts; after: Facts }) {
  const known: Readonly<Record<string, string>> = useWords(recordedWords).fields;
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  if (names.length === 0) return null;
  return (
    <dl className={classes['changes']}>
      {names.map((name) => (
        <div key={name}>
          <dt>
            {known[name] ?? (
              <code>
                <Foreign text={name} />
              </code>
            )}
          </dt>
          <dd>
            <Change before={before} after={after} name={name} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

const ICON_PX = 12;

function Change({ before, after, name }: { before: Facts; after: Facts; name: string }) {
  const words = useWords(auditWords);
  const textOf = useValueText();
  // New without an old value: nothing to compare.
  if (before === null) return <span>{textOf(name, after?.[name])}</span>;
  return (
    <>
      <Hidden>{`${words.before}: `}</Hidden>
      <del>{textOf(name, before[name])}</del>
      <ArrowRight size={ICON_PX} aria-hidden="true" />
      <Hidden>{`${words.after}: `}</Hidden>
      <span>{after?.[name] === undefined ? words.nothing : textOf(name, after[name])}</span>
    </>
  );
}
