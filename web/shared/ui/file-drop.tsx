import { FileUp } from 'lucide-react';
import { type ReactNode, useEffect, useId, useState } from 'react';
import { useWords } from '../words/use-words.ts';
import classes from './file-drop.module.css';
import { fileDropWords } from './file-drop-words.ts';

export interface FileDropProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly accept: string;
  /** The name of the file that was taken. */
  readonly chosen?: string | undefined;
  readonly onFile: (file: File) => void;
}

const ICON_PX = 20;

/** Takes a file, chosen or dropped. The browser's own input lies over the surface, and does both. */
export function FileDrop({ label, hint, accept, chosen, onFile }: FileDropProps) {
  const words = useWords(fileDropWords);
  const [over, setOver] = useState(false);
  const id = useId();
  const hintId = `${id}-hint`;
  useEffect(keepPage, []);
  return (
    <div className={classes['drop']} data-over={over || undefined}>
      <FileUp size={ICON_PX} className={classes['icon']} aria-hidden="true" />
      <div className={classes['text']}>
        <label htmlFor={id} className={classes['label']}>
          {label}
        </label>
        {hint !== undefined && (
          <span id={hintId} className={classes['hint']}>
            {hint}
          </span>
        )}
        <span className={classes['pick']} aria-hidden="true">
          <u>{words.choose}</u> {words.orDrop}
        </span>
        {chosen !== undefined && (
          <span className={classes['chosen']} aria-live="polite">
            {chosen}
          </span>
        )}
      </div>
      <input
        id={id}
        type="file"
        accept={accept}
        className={classes['input']}
        aria-describedby={hint === undefined ? undefined : hintId}
        onDragEnter={() => setOver(true)}
        onDragLeave={() => setOver(false)}
        onDrop={() => setOver(false)}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          // The same file may be given again, once it was changed.
          target.value = '';
          if (file !== undefined) onFile(file);
        }}
      />
    </div>
  );
}

/** A file that was dropped beside the surface would take the place of the page. */
function keepPage(): () => void {
  const prevent = (event: DragEvent) => {
    const { target } = event;
    if (!(target instanceof HTMLInputElement && target.type === 'file')) event.preventDefault();
  };
  document.addEventListener('dragover', prevent);
  document.addEventListener('drop', prevent);
  return () => {
    document.removeEventListener('dragover', prevent);
    document.removeEventListener('drop', prevent);
  };
}
