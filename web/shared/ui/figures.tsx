import type { ReactNode } from 'react';
import classes from './figures.module.css';

/** The main numbers of a page, each on a surface of its own. */
export function Figures({ label, children }: { label: string; children: ReactNode }) {
  return (
    <dl className={classes['figures']} aria-label={label}>
      {children}
    </dl>
  );
}

export interface FigureProps {
  readonly name: ReactNode;
  readonly value: ReactNode;
  /** Beneath the name: what it is made of. */
  readonly children?: ReactNode;
}

export function Figure({ name, value, children }: FigureProps) {
  return (
    <div className={classes['figure']}>
      <dt>
        {name}
        {children !== undefined && <div className={classes['note']}>{children}</div>}
      </dt>
      <dd>{value}</dd>
    </div>
  );
}
