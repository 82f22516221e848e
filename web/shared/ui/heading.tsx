import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { titleThing } from '../routing/title.ts';
import { useWords } from '../words/use-words.ts';
import { Button } from './button.tsx';
import classes from './heading.module.css';
import { uiWords } from './words.ts';

export interface PageHeadingProps {
  readonly title: ReactNode;
  /** A sentence or two below it. */
  readonly lead?: ReactNode;
  /** Buttons of the whole page. */
  readonly actions?: ReactNode;
  /** In the place of a heading that comes with the data: it neither takes the focus nor names the window. */
  readonly awaited?: boolean;
}

/** The browser announces the first page itself. */
let visited = false;

/**
 * The one `<h1>` of a page. It takes the focus when it comes on screen, so that those who listen hear where
 * they are: by itself, because a router that moved the focus would be too early for a page that loads late.
 * It names the window, and a long one, which is a stranger's, is cut until it is asked for.
 */
export function PageHeading({ title, lead, actions, awaited = false }: PageHeadingProps) {
  const words = useWords(uiWords);
  const heading = useRef<HTMLHeadingElement>(null);
  const [isLong, setLong] = useState(false);
  const [isWhole, setWhole] = useState(false);
  // Not after the paint: it would take the focus away from where somebody went meanwhile.
  useLayoutEffect(() => {
    if (awaited) return undefined;
    if (visited) heading.current?.focus({ preventScroll: true });
    visited = true;
    return () => titleThing('');
  }, [awaited]);
  useLayoutEffect(() => {
    const { current } = heading;
    if (current === null || awaited) return;
    titleThing(current.textContent ?? '');
    if (!isWhole) setLong(current.scrollHeight > current.clientHeight + 1);
  });
  return (
    <header className={classes['head']}>
      <div className={classes['titles']}>
        <h1
          ref={heading}
          tabIndex={-1}
          className={isWhole ? undefined : classes['cut']}
          {...(awaited && { 'aria-busy': true })}
        >
          {title}
        </h1>
        {isLong && (
          <Button kind="quiet" onClick={() => setWhole(!isWhole)} expanded={isWhole}>
            {isWhole ? words.showLess : words.showAll}
          </Button>
        )}
      </div>
      {lead !== undefined && <p className={classes['lead']}>{lead}</p>}
      {actions !== undefined && <div className={classes['actions']}>{actions}</div>}
    </header>
  );
}
