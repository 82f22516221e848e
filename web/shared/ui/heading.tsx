import { type ReactNode, useEffect, useRef } from 'react';
import classes from './heading.module.css';

export interface PageHeadingProps {
  readonly title: ReactNode;
  /** A sentence or two below it. */
  readonly lead?: ReactNode;
  /** Buttons of the whole page. */
  readonly actions?: ReactNode;
}

/** The browser announces the first page itself. */
let visited = false;

/**
 * The one `<h1>` of a page. It takes the focus when it comes on screen, so that those who listen hear where
 * they are: by itself, because a router that moved the focus would be too early for a page that loads late.
 */
export function PageHeading({ title, lead, actions }: PageHeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (visited) heading.current?.focus({ preventScroll: true });
    visited = true;
  }, []);
  return (
    <header className={classes['head']}>
      <div className={classes['titles']}>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {lead !== undefined && <p className={classes['lead']}>{lead}</p>}
      </div>
      {actions !== undefined && <div className={classes['actions']}>{actions}</div>}
    </header>
  );
}
