import { useInfiniteQuery } from '@tanstack/react-query';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { mailWords } from '../../../../shared/mail/words.ts';
import { isPeriod } from '../../../../shared/routing/period.ts';
import type { Chip } from '../../../../shared/ui/chips.tsx';
import { SelectField } from '../../../../shared/ui/field.tsx';
import { Filters } from '../../../../shared/ui/filters.tsx';
import { PeriodField, usePeriodText } from '../../../../shared/ui/period-field.tsx';
import { SearchField } from '../../../../shared/ui/search-field.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import { keysQuery } from '../../parts/key-queries.ts';
import { ANSWERS, NO_FILTERS, SEALS, type Search, STATUSES } from './filters.ts';
import { messagesWords } from './words.ts';

interface FilterBarProps {
  readonly search: Search;
  setSearch(change: Partial<Search>, options?: { replace?: boolean }): void;
}

export function FilterBar({ search, setSearch }: FilterBarProps) {
  const words = useWords(messagesWords);
  const names = useWords(mailWords);
  return (
    <Filters
      label={words.filters}
      chips={useChips({ search, setSearch })}
      onClear={() => setSearch({ ...NO_FILTERS, q: search.q, to: search.to })}
      more={<More search={search} setSearch={setSearch} />}
    >
      <SearchField
        label={words.search}
        placeholder={words.searchHint}
        value={search.to === '' ? search.q : `to:${search.to} ${search.q}`.trim()}
        onChange={(q) => setSearch({ q, to: '' }, { replace: true })}
      />
      <SelectField
        label={words.status}
        value={search.status}
        choices={[
          { value: '', label: words.anyStatus },
          ...STATUSES.map((value) => ({ value, label: names.statuses[value] })),
        ]}
        onChange={(status) => setSearch({ status })}
      />
      <PeriodField value={search} onChange={setSearch} />
    </Filters>
  );
}

function More({ search, setSearch }: FilterBarProps) {
  const words = useWords(messagesWords);
  return (
    <>
      <SelectField
        label={words.seal}
        value={search.seal}
        choices={SEALS.map((value) => ({ value, label: words.seals[value] }))}
        onChange={(seal) => setSearch({ seal })}
      />
      <SelectField
        label={words.acknowledgement}
        value={search.acknowledgement}
        choices={[
          { value: '', label: words.anyAnswer },
          ...ANSWERS.map((value) => ({ value, label: words.answers[value] })),
        ]}
        onChange={(acknowledgement) => setSearch({ acknowledgement })}
      />
    </>
  );
}

function useChips({ search, setSearch }: FilterBarProps): readonly Chip[] {
  const words = useWords(messagesWords);
  const names = useWords(mailWords);
  const period = usePeriodText(search);
  const { status, seal, acknowledgement, api_key: key } = search;
  const keyName = useKeyName(key);
  const { days, created_after, created_before } = NO_FILTERS;
  const chips: Chip[] = [];
  if (status !== '')
    chips.push({
      id: 'status',
      name: words.status,
      value: names.statuses[status],
      inBar: true,
      onRemove: () => setSearch({ status: '' }),
    });
  if (isPeriod(search, days))
    chips.push({
      id: 'period',
      name: words.time,
      value: period,
      inBar: true,
      onRemove: () => setSearch({ days, created_after, created_before }),
    });
  if (seal !== 'any')
    chips.push({
      id: 'seal',
      name: words.seal,
      value: words.seals[seal],
      onRemove: () => setSearch({ seal: 'any' }),
    });
  if (acknowledgement !== '')
    chips.push({
      id: 'acknowledgement',
      name: words.acknowledgement,
      value: words.answers[acknowledgement],
      onRemove: () => setSearch({ acknowledgement: '' }),
    });
  if (key !== '')
    chips.push({
      id: 'key',
      name: words.apiKey,
      value: keyName,
      onRemove: () => setSearch({ api_key: '' }),
    });
  return chips;
}

/** Of a key that is revoked, or for those who may not read the keys, what its id begins with. */
function useKeyName(id: string): string {
  const mayRead = useCan().manageKeys === null;
  const { data } = useInfiniteQuery({ ...keysQuery(useApi()), enabled: id !== '' && mayRead });
  const found = data?.pages.flatMap((page) => page.data).find((key) => key.id === id);
  return found?.name ?? `${id.slice(0, ID_SHOWN_CHARS)}…`;
}

const ID_SHOWN_CHARS = 18;
