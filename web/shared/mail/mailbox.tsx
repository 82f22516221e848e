import { visible } from '../format/foreign-text.ts';
import { Foreign } from '../ui/foreign.tsx';
import classes from './mailbox.module.css';

/** `Ana Ruiz <ana@example.com>`: the name, and the address beneath it. */
export function Mailbox({ text }: { text: string }) {
  const open = text.lastIndexOf('<');
  const name = open > 0 ? text.slice(0, open).trim().replace(/^"|"$/g, '') : '';
  if (name === '')
    return (
      <span className={classes['address']} title={visible(text)}>
        <Foreign text={text.replace(/^<|>$/g, '')} />
      </span>
    );
  return (
    <>
      <div>
        <Foreign text={name} />
      </div>
      <div className={`${classes['address']} ${classes['quiet']}`}>
        <Foreign text={text.slice(open + 1).replace(/>$/, '')} />
      </div>
    </>
  );
}
