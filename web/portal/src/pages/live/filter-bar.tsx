import { mailWords } from '../../../../shared/mail/words.ts';
import type { Chip } from '../../../../shared/ui/chips.tsx';
import { SelectField } from '../../../../shared/ui/field.tsx';
import { Filters } from '../../../../shared/ui/filters.tsx';
import { SearchField } from '../../../../shared/ui/search-field.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { NO_FILTERS, type Search, STATUSES, TYPES } from './filters.ts';
import { liveWords } from './words.ts';

interface Props {
  readonly search: Search;
  setSearch(change: Partial<Search>, options?: { replace?: boolean }): void;
}

export function LiveFilters({ search, setSearch }: Props) {
  const words = useWords(liveWords);
  const names = useWords(mailWords);
  const { address, type, status, tag } = search;
  const chips: readonly (Chip | false)[] = [
    type !== '' && {
      id: 'type',
      name: words.type,
      value: words.types[type],
      inBar: true,
      onRemove: () => setSearch({ type: '' }),
    },
    status !== '' && {
      id: 'status',
      name: words.status,
      value: names.statuses[status],
      onRemove: () => setSearch({ status: '' }),
    },
    tag !== '' && { id: 'tag', name: words.tag, value: tag, onRemove: () => setSearch({ tag: '' }) },
  ];
  return (
    <Filters
      label={words.filters}
      chips={chips.filter((each) => each !== false)}
      onClear={() => setSearch({ ...NO_FILTERS, address })}
      more={
        <>
          <SelectField
            label={words.status}
            value={status}
            choices={[
              { value: '', label: words.anyStatus },
              ...STATUSES.map((value) => ({ value, label: names.statuses[value] })),
            ]}
            onChange={(value) => setSearch({ status: value })}
          />
          <SearchField
            label={words.tag}
            value={tag}
            onChange={(value) => setSearch({ tag: value }, { replace: true })}
          />
        </>
      }
    >
      <SearchField
        label={words.address}
        placeholder={words.addressHint}
        value={address}
        onChange={(value) => setSearch({ address: value }, { replace: true })}
      />
      <SelectField
        label={words.type}
        value={type}
        choices={[
          { value: '', label: words.anyType },
          ...TYPES.map((value) => ({ value, label: words.types[value] })),
        ]}
        onChange={(value) => setSearch({ type: value })}
      />
    </Filters>
  );
}
