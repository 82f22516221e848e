import { CopyButton } from './copy.tsx';
import classes from './hash.module.css';

/** Characters shown of each end, and of a group. */
const END_CHARS = 8;
const GROUP_CHARS = 4;

/** A long identifier: cut in the middle, whole in groups on focus, with a button that copies all of it. */
export function Hash({ value, what }: { value: string; what?: string }) {
  const isLong = value.length > END_CHARS * 2 + 3;
  const cut = isLong ? `${value.slice(0, END_CHARS)}…${value.slice(-END_CHARS)}` : value;
  const groups = value.match(new RegExp(`.{1,${GROUP_CHARS}}`, 'g'))?.join(' ') ?? '';
  return (
    <span className={classes['hash']}>
      {isLong ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: focus shows all of it
        <code className={classes['text']} tabIndex={0} title={value}>
          <span className={classes['cut']}>{cut}</span>
          <span className={classes['whole']}>{groups}</span>
        </code>
      ) : (
        <code className={classes['text']}>{value}</code>
      )}
      <CopyButton text={value} {...(what !== undefined && { what })} />
    </span>
  );
}
