import { useFormat } from '../format/format.ts';
import { useWords } from '../words/use-words.ts';
import classes from './time.module.css';
import { useToast } from './toast.tsx';
import { uiWords } from './words.ts';

export interface TimeProps {
  /** ISO 8601. */
  readonly iso: string;
  /** Default: date and time in the reader's zone; `utc` for seals. */
  readonly form?: 'dateTime' | 'short' | 'date' | 'time' | 'relative' | 'utc' | 'precise';
}

/** A time in the reader's zone; the whole of it in UTC by its title and, pressed, on the clipboard. */
export function Time({ iso, form = 'dateTime' }: TimeProps) {
  const format = useFormat();
  const words = useWords(uiWords);
  const toast = useToast();
  const utc = format.utc(iso);
  async function copy() {
    await navigator.clipboard.writeText(iso);
    toast(words.copied);
  }
  return (
    <button type="button" className={classes['time']} title={words.utc(utc)} onClick={() => void copy()}>
      <time dateTime={iso}>{format[form](iso)}</time>
    </button>
  );
}
