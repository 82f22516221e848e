import type { FormEvent, ReactNode } from 'react';
import { useWords } from '../words/use-words.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy.tsx';
import classes from './layout.module.css';
import { PartContext } from './part.ts';
import { uiWords } from './words.ts';

/** The few shapes that screens are laid out in. */

/** A surface with a heading of its own. */
export function Panel({
  title,
  actions,
  children,
}: {
  title?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className={classes['panel']}>
      {(title !== undefined || actions !== undefined) && (
        <div className={classes['panelHead']}>
          {title !== undefined && <h2>{title}</h2>}
          {actions}
        </div>
      )}
      {title === undefined ? children : <PartContext value={title}>{children}</PartContext>}
    </section>
  );
}

/** Things below each other. */
export function Stack({ children }: { children: ReactNode }) {
  return <div className={classes['stack']}>{children}</div>;
}

/** Between two ways of doing the same. */
export function Or({ children }: { children: ReactNode }) {
  return <div className={classes['or']}>{children}</div>;
}

/** Things next to each other, as far as there is room. */
export function Row({ children }: { children: ReactNode }) {
  return <div className={classes['row']}>{children}</div>;
}

/** Fields below each other; Enter sends it. */
export function Form({
  onSubmit,
  children,
  label,
}: {
  onSubmit: () => void;
  children: ReactNode;
  label?: string;
}) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form className={classes['form']} onSubmit={submit} noValidate aria-label={label}>
      {children}
    </form>
  );
}

export interface Fact {
  readonly name: string;
  readonly value: ReactNode;
}

/** Names and values. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className={classes['facts']}>
      {facts.map(({ name, value }) => (
        <div key={name} style={{ display: 'contents' }}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export interface CodeBlockProps {
  readonly text: string;
  readonly label: string;
  /** Wraps long lines instead of scrolling: for text without line breaks of its own. */
  readonly wrap?: boolean;
}

/** Text as it is, to read and to copy. */
export function CodeBlock({ text, label, wrap = false }: CodeBlockProps) {
  return (
    <div>
      <div className={classes['codeHead']}>
        <span>{label}</span>
        <CopyButton text={text} what={label} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keys */}
      <pre className={`${classes['code']} ${wrap ? classes['wrap'] : ''}`} tabIndex={0}>
        {text}
      </pre>
    </div>
  );
}

/** Beneath a list: how far it goes, and the next page. */
export function Pager({
  children,
  onMore,
  busy = false,
}: {
  children?: ReactNode;
  onMore: (() => void) | null;
  busy?: boolean;
}) {
  const words = useWords(uiWords);
  return (
    <div className={classes['pager']}>
      <span>{children}</span>
      {onMore !== null && (
        <Button busy={busy} onClick={onMore}>
          {words.more}
        </Button>
      )}
    </div>
  );
}
