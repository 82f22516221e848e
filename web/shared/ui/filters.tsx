import { Link2, SlidersHorizontal } from 'lucide-react';
import { Children, isValidElement, lazy, type ReactNode, Suspense, useState } from 'react';
import { useWords } from '../words/use-words.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy.tsx';
import classes from './layout.module.css';
import { listWords } from './list-words.ts';
import { SearchField } from './search-field.tsx';
import { useNarrow } from './use-narrow.ts';

const FilterSheet = lazy(() => import('./filter-sheet.tsx'));

interface Props {
  readonly label: string;
  /** What the list is searched for stands first, and takes the room. */
  readonly children: ReactNode;
  /** How many of the others leave something out. */
  readonly active?: number;
  /** Undoes all of them. */
  readonly onClear?: () => void;
}

/** The controls above a list; on a phone all but the search are in a sheet. */
export function Filters({ label, children, active = 0, onClear }: Props) {
  const words = useWords(listWords);
  const narrow = useNarrow();
  const [open, setOpen] = useState(false);
  const all = Children.toArray(children);
  const searched = all.slice(0, 1).filter((each) => isValidElement(each) && each.type === SearchField);
  const others = all.filter((each) => !searched.includes(each));
  const inSheet = narrow && others.length > (searched.length === 0 ? 1 : 0);
  const link = <CopyButton icon={Link2} text={() => location.href} what={words.copyLink} />;
  return (
    <search className={classes['filters']} aria-label={label}>
      {inSheet ? searched : all}
      {inSheet && (
        <div className={classes['sheet']}>
          <Button icon={SlidersHorizontal} onClick={() => setOpen(true)}>
            {words.filtersButton(active)}
          </Button>
          {link}
        </div>
      )}
      {!inSheet && onClear !== undefined && <div className={classes['link']}>{link}</div>}
      {inSheet && open && (
        <Suspense>
          <FilterSheet
            onClear={active > 0 && onClear !== undefined ? onClear : null}
            onClose={() => setOpen(false)}
          >
            {others}
          </FilterSheet>
        </Suspense>
      )}
    </search>
  );
}
