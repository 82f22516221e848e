import { X } from 'lucide-react';
import { type FormEvent, type ReactNode, useEffect, useId } from 'react';
import { useWords } from '../words/use-words.ts';
import { Button } from './button.tsx';
import classes from './dialog.module.css';
import { ToastRegion } from './toast.tsx';
import { useModal } from './use-modal.ts';
import { uiWords } from './words.ts';

export interface DialogProps {
  readonly title: ReactNode;
  readonly children?: ReactNode;
  /** The buttons that end it; with `onSubmit` one of them has the type submit. */
  readonly foot?: ReactNode;
  /** Makes it a form. */
  readonly onSubmit?: () => void;
  /** Escape and the cross; undefined: it must be answered. */
  readonly onClose?: (() => void) | undefined;
  readonly wide?: boolean;
  /** At the lower edge of a phone, where thumbs are. */
  readonly sheet?: boolean;
}

/** The field that gets the focus. */
const FIRST_FIELD = 'input:not([type=radio], [type=checkbox]), select, textarea';

/** A question above the page, which waits. On screen as long as it is rendered. */
export function Dialog(props: DialogProps) {
  const { title, children, foot, onSubmit, onClose, wide = false, sheet = false } = props;
  const words = useWords(uiWords);
  const { ref: element, ...closing } = useModal(onClose);
  const titleId = useId();
  useEffect(() => {
    const { activeElement } = document;
    const dialog = element.current;
    if (dialog?.open === false) dialog.showModal();
    // Not the cross, which comes first.
    dialog?.querySelector<HTMLElement>(FIRST_FIELD)?.focus();
    return () => {
      dialog?.close();
      if (activeElement instanceof HTMLElement) activeElement.focus();
    };
  }, [element]);
  const content = (
    <>
      <div className={classes['head']}>
        <h2 id={titleId}>{title}</h2>
        {onClose !== undefined && <Button kind="icon" icon={X} label={words.close} onClick={onClose} />}
      </div>
      {children}
      {foot !== undefined && <div className={classes['foot']}>{foot}</div>}
    </>
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit?.();
  };
  return (
    <dialog
      ref={element}
      className={`${classes['dialog']} ${wide ? classes['wide'] : ''} ${sheet ? classes['sheet'] : ''}`}
      aria-labelledby={titleId}
      {...closing}
    >
      {onSubmit === undefined ? (
        <div className={classes['body']}>{content}</div>
      ) : (
        <form className={classes['body']} onSubmit={submit} noValidate>
          {content}
        </form>
      )}
      <ToastRegion />
    </dialog>
  );
}

export interface ConfirmProps {
  readonly title: ReactNode;
  readonly children?: ReactNode;
  readonly action: string;
  readonly danger?: boolean;
  /** Then the other button needs another word. */
  readonly cancels?: boolean;
  readonly busy?: boolean;
  readonly unavailable?: string | null | undefined;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before something is done that cannot be taken back. */
export function Confirm(props: ConfirmProps) {
  const words = useWords(uiWords);
  const foot = (
    <>
      <Button onClick={props.onClose}>{props.cancels === true ? words.goBack : words.cancel}</Button>
      <Button
        kind={props.danger === true ? 'danger' : 'primary'}
        type="submit"
        busy={props.busy === true}
        unavailable={props.unavailable}
      >
        {props.action}
      </Button>
    </>
  );
  return (
    <Dialog title={props.title} foot={foot} onSubmit={props.onConfirm} onClose={props.onClose}>
      {props.children}
    </Dialog>
  );
}
