import { type KeyboardEvent, type RefObject, type SyntheticEvent, useRef } from 'react';

export interface Modal {
  readonly ref: RefObject<HTMLDialogElement | null>;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onCancel: (event: SyntheticEvent) => void;
  readonly onClose: (event: SyntheticEvent) => void;
}

/**
 * Lets a modal <dialog> close only by `onClose`; without one it stays until it is answered. A browser asks by
 * a `cancel` event before it closes one, but not always: without a click or a key since the last time, such
 * as when an answer of the server opened it, Escape closes it at once, whatever its page wants (HTML, "close
 * watchers"). So Escape is taken as a key, and what was closed all the same is reported, or opened again.
 */
export function useModal(onClose: (() => void) | undefined): Modal {
  const ref = useRef<HTMLDialogElement>(null);
  return {
    ref,
    onKeyDown(event) {
      if (event.key !== 'Escape' || event.defaultPrevented || event.nativeEvent.isComposing) return;
      event.preventDefault();
      onClose?.();
    },
    onCancel(event) {
      // React passes it on to dialogs around this one.
      if (event.target !== event.currentTarget) return;
      event.preventDefault();
      onClose?.();
    },
    onClose(event) {
      const dialog = ref.current;
      if (event.target !== event.currentTarget || dialog === null || dialog.open) return;
      if (onClose === undefined) dialog.showModal();
      else onClose();
    },
  };
}
