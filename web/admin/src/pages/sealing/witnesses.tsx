import { useQuery } from '@tanstack/react-query';
import type { WitnessList, WitnessStatus } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { Fault } from '../../../../shared/mail/fault.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Section } from '../../../../shared/ui/section.tsx';
import { Status } from '../../../../shared/ui/status.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import classes from './page.module.css';
import { witnessesQuery } from './queries.ts';
import { sealingWords } from './words.ts';

/** Others who cosign the log, so that nobody can be shown another one. */
export function Witnesses() {
  const words = useWords(sealingWords);
  const query = useQuery(witnessesQuery(useApi()));
  return (
    <Section title={words.witnesses} hint={words.witnessesHint}>
      <Loaded query={query} rows={2}>
        {(list) => <Listed list={list} />}
      </Loaded>
    </Section>
  );
}

function Listed({ list: { quorum, data } }: { list: WitnessList }) {
  const words = useWords(sealingWords);
  const format = useFormat();
  if (data.length === 0) return <p>{words.noWitness}</p>;
  const columns: readonly Column<WitnessStatus>[] = [
    {
      id: 'name',
      head: words.witness,
      main: true,
      cell: ({ name, failures, last_error: error }) => (
        <>
          <div className={classes['name']} translate="no">
            <Foreign text={name} />
          </div>
          {failures > 0 && error !== null && (
            <div className={classes['note']}>
              <Fault text={error} />
            </div>
          )}
        </>
      ),
    },
    {
      id: 'state',
      head: words.state,
      cell: ({ url, failures }) =>
        url === null ? (
          <Status tone="neutral">{words.notConfigured}</Status>
        ) : failures === 0 ? (
          <Status tone="sent">{words.works}</Status>
        ) : (
          <Status tone="failed">{words.failing(format.number(failures))}</Status>
        ),
    },
    { id: 'size', head: words.treeSize, end: true, cell: ({ tree_size: size }) => format.number(size) },
    {
      id: 'cosigned',
      head: words.cosigned,
      cell: ({ cosigned_at: at }) => (at === null ? words.never : <Time iso={at} form="relative" />),
    },
  ];
  return (
    <>
      <Table
        label={words.witnesses}
        columns={columns}
        rows={data}
        rowKey={({ origin, key }) => `${origin} ${key}`}
      />
      <p className={classes['note']}>{words.quorum(quorum)}</p>
    </>
  );
}
