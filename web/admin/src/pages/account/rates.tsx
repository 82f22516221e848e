import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { isQuiet, RatesView, RatesWindowField } from '../../../../shared/rates/rates.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { partsWords } from './parts-words.ts';
import { ratesQuery } from './queries.ts';
import type { TabProps } from './tab.ts';

/** The rates that the account sees of itself. */
export default function RatesTab({ tenant: { id }, search, setSearch }: TabProps) {
  const words = useWords(partsWords);
  const query = useQuery(ratesQuery(useApi(), id, Number(search.days)));
  return (
    <>
      <RatesWindowField value={search.days} onChange={(days) => setSearch({ days })} />
      <Loaded query={query} rows={8}>
        {(rates) =>
          isQuiet(rates.counters) ? (
            <Empty title={words.quietTitle}>{words.quiet}</Empty>
          ) : (
            <RatesView rates={rates} />
          )
        }
      </Loaded>
    </>
  );
}
