import type { LogKey, LogStatus } from '../../../../shared/api/admin-types.ts';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { Section } from '../../../../shared/ui/section.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import classes from './page.module.css';
import { sealingWords } from './words.ts';

/** A key of ML-DSA-44 has 1.8 kB: name and id stand for it. */
const nameOf = ({ key, id }: LogKey) => `${key.slice(0, key.indexOf('+'))}+${id}`;

/** The keys of the logs that go on. */
export function Keys({ logs }: { logs: readonly LogStatus[] }) {
  const words = useWords(sealingWords);
  const keys = logs.flatMap(({ ended_at: endedAt, keys: own }) => (endedAt === null ? own : []));
  if (keys.length === 0) return null;
  const columns: readonly Column<LogKey>[] = [
    {
      id: 'key',
      head: words.key,
      main: true,
      cell: (key) => (
        <div className={classes['name']} translate="no">
          <Foreign text={nameOf(key)} />
        </div>
      ),
    },
    { id: 'algorithm', head: words.algorithm, cell: ({ algorithm }) => algorithm },
    {
      id: 'from',
      head: words.requiredFrom,
      cell: ({ from }) => (from === null ? words.always : <Time iso={from} />),
    },
  ];
  return (
    <Section title={words.keys} hint={words.keysHint}>
      <Table label={words.keys} columns={columns} rows={keys} rowKey={({ key }) => key} />
    </Section>
  );
}
