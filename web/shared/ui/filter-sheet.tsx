import type { ReactNode } from 'react';
import { useWords } from '../words/use-words.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { listWords } from './list-words.ts';
import { uiWords } from './words.ts';

interface Props {
  readonly children: ReactNode;
  /** Null: nothing is filtered. */
  readonly onClear: (() => void) | null;
  readonly onClose: () => void;
}

/** The filters of a list on a phone; each takes effect at once, behind the sheet. */
export default function FilterSheet({ children, onClear, onClose }: Props) {
  const words = useWords(listWords);
  const { clearFilters } = useWords(uiWords);
  const foot = (
    <>
      {onClear !== null && <Button onClick={onClear}>{clearFilters}</Button>}
      <Button kind="primary" type="submit">
        {words.showList}
      </Button>
    </>
  );
  return (
    <Dialog title={words.filtersTitle} foot={foot} onSubmit={onClose} onClose={onClose} sheet>
      {children}
    </Dialog>
  );
}
