import type { ComponentType, ReactNode, Ref } from 'react';
import { useId } from 'react';
import { Link } from '../routing/link.tsx';
import { useWords } from '../words/use-words.ts';
import classes from './button.module.css';
import { Hidden } from './hidden.tsx';
import { uiWords } from './words.ts';

export type ButtonKind = 'plain' | 'primary' | 'danger' | 'quiet' | 'icon';
/** An icon of lucide-react; decoration, so hidden from screen readers. */
export type Icon = ComponentType<{ size?: number; 'aria-hidden'?: boolean | 'true' }>;

export interface ButtonProps {
  readonly children?: ReactNode;
  readonly kind?: ButtonKind;
  readonly icon?: Icon;
  readonly label?: string;
  readonly type?: 'button' | 'submit';
  /** Why it cannot be used: it stays, can be focused, and says so. */
  readonly unavailable?: string | null | undefined;
  /** Its work is under way: a second press does nothing. */
  readonly busy?: boolean;
  readonly wide?: boolean;
  readonly pressed?: boolean;
  readonly expanded?: boolean;
  readonly controls?: string;
  readonly onClick?: () => void;
  readonly ref?: Ref<HTMLButtonElement>;
}

const ICON_PX = 16;

export function Button(props: ButtonProps) {
  const { children, kind = 'plain', icon: ButtonIcon, label, unavailable, busy = false, onClick } = props;
  const words = useWords(uiWords);
  const reasonId = useId();
  const off = busy || (unavailable !== undefined && unavailable !== null);
  return (
    <>
      <button
        ref={props.ref}
        type={props.type ?? 'button'}
        className={classNames(kind, props.wide)}
        data-kind={kind}
        aria-label={label}
        title={unavailable ?? label}
        aria-disabled={off || undefined}
        aria-busy={busy || undefined}
        aria-pressed={props.pressed}
        aria-expanded={props.expanded}
        aria-controls={props.controls}
        aria-describedby={unavailable ? reasonId : undefined}
        onClick={(event) => {
          if (off) event.preventDefault();
          else onClick?.();
        }}
      >
        {ButtonIcon !== undefined && <ButtonIcon size={ICON_PX} aria-hidden="true" />}
        {children}
      </button>
      {unavailable && <Hidden id={reasonId}>{words.unavailableBecause(unavailable)}</Hidden>}
    </>
  );
}

export interface ButtonLinkProps {
  readonly to: string;
  readonly children: ReactNode;
  readonly kind?: ButtonKind;
  readonly wide?: boolean;
  readonly icon?: Icon;
}

/** Leads to a page, and looks like a button. */
export function ButtonLink({ to, children, kind = 'plain', wide, icon: LinkIcon }: ButtonLinkProps) {
  return (
    <Link to={to} className={classNames(kind, wide)}>
      {LinkIcon !== undefined && <LinkIcon size={ICON_PX} aria-hidden="true" />}
      {children}
    </Link>
  );
}

export interface ButtonAnchorProps extends Omit<ButtonLinkProps, 'to' | 'wide'> {
  readonly href: string;
}

/** The same for a page outside the application. */
export function ButtonAnchor({ href, children, kind = 'plain', icon: LinkIcon }: ButtonAnchorProps) {
  return (
    <a href={href} className={classNames(kind, false)}>
      {LinkIcon !== undefined && <LinkIcon size={ICON_PX} aria-hidden="true" />}
      {children}
    </a>
  );
}

function classNames(kind: ButtonKind, wide: boolean | undefined): string {
  return [classes['button'], kind === 'plain' ? '' : classes[kind], wide === true ? classes['wide'] : '']
    .filter(Boolean)
    .join(' ');
}
