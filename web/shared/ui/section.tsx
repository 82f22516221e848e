import type { ReactNode } from 'react';
import { PartContext } from './part.ts';
import classes from './section.module.css';

export interface SectionProps {
  readonly title: ReactNode;
  /** A sentence beneath the title: what this is about. */
  readonly hint?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a page with a heading of its own, above something that is a surface already: a table, panels. */
export function Section({ title, hint, actions, children }: SectionProps) {
  return (
    <section className={classes['section']}>
      <div className={classes['head']}>
        <div className={classes['titles']}>
          <h2>{title}</h2>
          {hint !== undefined && <p className={classes['hint']}>{hint}</p>}
        </div>
        {actions}
      </div>
      <PartContext value={title}>{children}</PartContext>
    </section>
  );
}
