import { Link2, SlidersHorizontal } from 'lucide-react';
import { Children, isValidElement, lazy, type ReactNode, Suspense, useId, useState } from 'react';
import { useWords } from '../words/use-words.ts';
import { Button } from './button.tsx';
import { type Chip, Chips } from './chips.tsx';
import { CopyButton } from './copy.tsx';
import classes from './layout.module.css';
import { listWords } from './list-words.ts';
import { SearchField } from './search-field.tsx';
import { useNarrow } from './use-narrow.ts';

const FilterSheet = lazy(() => import('./filter-sheet.tsx'));

interface Props {
  readonly label: string;
  /** The search stands first, and takes the room. */
  readonly children: ReactNode;
  /** Rare filters, behind a button. */
  readonly more?: ReactNode;
  /** Filters that leave something out. */
  readonly chips?: readonly Chip[];
  /** How many of the others leave something out; of chips their number. */
  readonly active?: number;
  /** Undoes all of them. */
  readonly onClear?: () => void;
}

/** The controls above a list; on a phone all but the search are in a sheet. */
export function Filters({ label, children, more, chips = [], active = chips.length, onClear }: Props) {
  const words = useWords(listWords);
  const narrow = useNarrow();
  const [open, setOpen] = useState(false);
  const moreId = useId();
  const all = Children.toArray(children);
  const searched = all.slice(0, 1).filter((each) => isValidElement(each) && each.type === SearchField);
  const others = all.filter((each) => !searched.includes(each));
  const inSheet = narrow && (more !== undefined || others.length > (searched.length === 0 ? 1 : 0));
  const shown = inSheet ? chips : chips.filter(({ inBar }) => inBar !== true);
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
      {!inSheet && more !== undefined && (
        <div className={classes['link']}>
          <Button icon={SlidersHorizontal} expanded={open} controls={moreId} onClick={() => setOpen(!open)}>
            {words.moreFilters}
          </Button>
        </div>
      )}
      {!inSheet && onClear !== undefined && <div className={classes['link']}>{link}</div>}
      {!inSheet && more !== undefined && (
        <div id={moreId} className={classes['more']} hidden={!open}>
          {open && more}
        </div>
      )}
      {shown.length > 0 && (
        <div className={classes['chosen']}>
          <Chips chips={shown} />
        </div>
      )}
      {inSheet && open && (
        <Suspense>
          <FilterSheet
            onClear={active > 0 && onClear !== undefined ? onClear : null}
            onClose={() => setOpen(false)}
          >
            {others}
            {more}
          </FilterSheet>
        </Suspense>
      )}
    </search>
  );
}
