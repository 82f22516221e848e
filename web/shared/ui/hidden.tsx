import type { ReactNode } from 'react';
import classes from './hidden.module.css';

/** For those who listen: not on the screen. */
export function Hidden({ children, id }: { children: ReactNode; id?: string }) {
  return (
    <span id={id} className={classes['hidden']}>
      {children}
    </span>
  );
}
