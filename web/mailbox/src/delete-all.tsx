import { useRef } from 'react';
import { useWords } from '../../shared/words/use-words.ts';
import { mailboxWords } from './words.ts';

/** Asks first: it cannot be undone. */
export function DeleteAll({ onDelete, disabled }: { onDelete(): Promise<void>; disabled: boolean }) {
  const words = useWords(mailboxWords);
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <>
      <button type="button" disabled={disabled} onClick={() => dialog.current?.showModal()}>
        {words.deleteAll}
      </button>
      <dialog ref={dialog} aria-labelledby="delete-all">
        <h2 id="delete-all">{words.deleteAllAsk}</h2>
        <p className="quiet">{words.deleteAllMeans}</p>
        <p className="choices">
          <button type="button" onClick={() => dialog.current?.close()}>
            {words.keep}
          </button>
          <button
            type="button"
            className="danger"
            onClick={() => {
              dialog.current?.close();
              void onDelete();
            }}
          >
            {words.deleteAll}
          </button>
        </p>
      </dialog>
    </>
  );
}
