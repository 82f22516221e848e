import { useQuery } from '@tanstack/react-query';
import { SearchX } from 'lucide-react';
import { useApi } from '../../../shared/app/api-context.tsx';
import { useFormat } from '../../../shared/format/format.ts';
import { Link } from '../../../shared/routing/link.tsx';
import { searchText } from '../../../shared/routing/search.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { Foreign } from '../../../shared/ui/foreign.tsx';
import { Row } from '../../../shared/ui/layout.tsx';
import { NotLoaded } from '../../../shared/ui/loaded.tsx';
import states from '../../../shared/ui/states.module.css';
import { ICON_PX } from '../../../shared/ui/states.tsx';
import { uiWords } from '../../../shared/ui/words.ts';
import { useWords } from '../../../shared/words/use-words.ts';
import { pathOfFinding } from '../shell/find.ts';
import { portalWords } from '../shell/words.ts';
import classes from './nothing-found.module.css';
import { nothingWords } from './nothing-words.ts';
import { searchQuery, whyNothing } from './search-query.ts';

interface Props {
  /** The words of the search. */
  readonly q: string;
  /** Searches without filters; null: there are none. */
  readonly onWiden: (() => void) | null;
  readonly onClear: () => void;
}

/** A list of messages is empty: why, what there is instead, and where to go on. */
export default function NothingFound({ q, onWiden, onClear }: Props) {
  const words = useWords(nothingWords);
  const { kinds } = useWords(portalWords);
  const { clearFilters } = useWords(uiWords);
  const format = useFormat();
  const search = useQuery(searchQuery(useApi(), q));
  if (search.data === undefined) return <NotLoaded queries={[search]} rows={3} />;
  const { data, nothing } = search.data;
  return (
    <div className={states['panel']}>
      <SearchX size={ICON_PX} className={states['icon']} aria-hidden="true" />
      <h2>{words.noMessage}</h2>
      {nothing !== null &&
        whyNothing(nothing, words, format)
          .filter((sentence) => sentence !== words.noMessage)
          .map((sentence) => <p key={sentence}>{sentence}</p>)}
      {data.length > 0 && (
        <div className={classes['found']}>
          <p>{words.otherwise}</p>
          <ul>
            {data.map((each) => (
              <li key={`${each.kind} ${each.id}`}>
                <small>{kinds[each.kind] ?? kinds.other}</small>{' '}
                <Link to={pathOfFinding(each)}>
                  <Foreign text={each.label} />
                </Link>
              </li>
            ))}
          </ul>
        </div>
      )}
      <Row>
        {nothing?.address !== null && nothing !== null && (
          <Link to={`/recipient${searchText({ address: nothing.address })}`}>{words.whyNot}</Link>
        )}
        {onWiden !== null && <Button onClick={onWiden}>{words.allTime}</Button>}
        <Button onClick={onClear}>{clearFilters}</Button>
      </Row>
    </div>
  );
}
