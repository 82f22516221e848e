import { useInfiniteQuery } from '@tanstack/react-query';
import type { Batch } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import type { PageProps } from '../../../../shared/routing/page.ts';
import { ALL_TIME, isPeriod, periodQuery } from '../../../../shared/routing/period.ts';
import { ExportButton } from '../../../../shared/ui/export-button.tsx';
import { Filters } from '../../../../shared/ui/filters.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { Hash } from '../../../../shared/ui/hash.tsx';
import { NothingMatches } from '../../../../shared/ui/loaded.tsx';
import { PeriodField } from '../../../../shared/ui/period-field.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { Status } from '../../../../shared/ui/status.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { Listed } from '../../parts/listed.tsx';
import classes from './page.module.css';
import { batchesQuery, type Search } from './queries.ts';
import { sealingWords } from './words.ts';

const COLUMNS = [
  ...[
    'id',
    'origin',
    'created_at',
    'leaves',
    'tree_size',
    'root_hash',
    'cosignatures',
    'certificate.profile',
  ],
  ...['certificate.issuer', 'certificate.gen_time', 'certificate.covered_until', 'certificate.id'],
];

/** Leaves that were put into the log and sealed together. */
export default function BatchesTab({ search, setSearch }: PageProps<Search>) {
  const words = useWords(sealingWords);
  const period = periodQuery(search);
  const list = useInfiniteQuery(batchesQuery(useApi(), period));
  const columns = useColumns();
  const clear = () => setSearch(ALL_TIME);
  return (
    <>
      <div className={classes['filter']}>
        <Filters label={words.filters} active={isPeriod(search) ? 1 : 0} onClear={clear}>
          <PeriodField value={search} onChange={setSearch} />
        </Filters>
        <ExportButton name="batches" path="/sealing/batches" query={period} columns={COLUMNS} />
      </div>
      <Listed
        list={list}
        empty={
          isPeriod(search) ? (
            <NothingMatches onClear={clear} />
          ) : (
            <Empty title={words.noBatchTitle}>{words.noBatch}</Empty>
          )
        }
      >
        {(rows) => (
          <Table unfolds label={words.tabs.batches} columns={columns} rows={rows} rowKey={({ id }) => id} />
        )}
      </Listed>
    </>
  );
}

/** `CN=PSC X,O=X` → `PSC X`; a name without one as it is. RFC 4514 §2 */
function commonName(issuer: string): string {
  return /(?:^|,)CN=([^,]+)/.exec(issuer)?.[1] ?? issuer;
}

function useColumns(): readonly Column<Batch>[] {
  const words = useWords(sealingWords);
  const format = useFormat();
  return [
    {
      id: 'at',
      phone: 'lead',
      head: words.time,
      cell: ({ created_at: at }) => <Time iso={at} form="short" />,
    },
    {
      id: 'leaves',
      phone: 'corner',
      head: words.newLeaves,
      end: true,
      cell: ({ leaves, tree_size: size }) => (
        <>
          {format.number(leaves)}
          <div className={classes['note']}>{words.ofLeaves(format.number(size))}</div>
        </>
      ),
    },
    {
      id: 'certificate',
      phone: 'below',
      head: words.constancia,
      main: true,
      cell: ({ certificate }) =>
        certificate === null ? (
          <Status tone="waiting">{words.waits}</Status>
        ) : (
          <>
            <Status tone="sealed">{words.profiles[certificate.profile]}</Status>
            <div className={classes['note']} title={certificate.issuer}>
              <Foreign text={commonName(certificate.issuer)} />
            </div>
          </>
        ),
    },
    {
      id: 'stamped',
      head: words.stampedAt,
      cell: ({ certificate }) => certificate !== null && <Time iso={certificate.gen_time} form="utc" />,
    },
    {
      id: 'covered',
      head: words.coveredUntil,
      cell: ({ certificate }) =>
        certificate !== null &&
        certificate.covered_until !== null && <Time iso={certificate.covered_until} form="date" />,
    },
    {
      id: 'cosigned',
      head: words.cosignatures,
      end: true,
      cell: ({ cosignatures }) => format.number(cosignatures),
    },
    { id: 'root', head: words.root, cell: ({ root_hash: root }) => <Hash value={root} what={words.root} /> },
  ];
}
