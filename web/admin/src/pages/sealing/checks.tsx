import { useInfiniteQuery } from '@tanstack/react-query';
import type { EvidenceCheck } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { elapsedMs } from '../../../../shared/format/clock.ts';
import { useFormat } from '../../../../shared/format/format.ts';
import type { PageProps } from '../../../../shared/routing/page.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { Progress } from '../../../../shared/ui/progress.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { Status, type Tone } from '../../../../shared/ui/status.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { Listed } from '../../parts/listed.tsx';
import { CheckDialog } from './check-dialog.tsx';
import classes from './page.module.css';
import { checksQuery, type Search } from './queries.ts';
import { sealingWords } from './words.ts';

const TONES: Readonly<Record<EvidenceCheck['status'], Tone>> = {
  running: 'waiting',
  clean: 'sent',
  problems: 'failed',
  failed: 'failed',
  interrupted: 'neutral',
};

/** Full checks from raw bytes: when, by whom, and their results. */
export default function ChecksTab({ search, setSearch }: PageProps<Search>) {
  const { checks: words } = useWords(sealingWords);
  const list = useInfiniteQuery(checksQuery(useApi()));
  const columns = useColumns((check) => setSearch({ check }));
  return (
    <>
      <Listed list={list} empty={<Empty title={words.noneTitle}>{words.none}</Empty>}>
        {(rows) => <Table unfolds label={words.list} columns={columns} rows={rows} rowKey={({ id }) => id} />}
      </Listed>
      {search.check !== '' && <CheckDialog id={search.check} onClose={() => setSearch({ check: '' })} />}
    </>
  );
}

function useColumns(open: (id: string) => void): readonly Column<EvidenceCheck>[] {
  const { checks: words } = useWords(sealingWords);
  const format = useFormat();
  return [
    { id: 'at', phone: 'lead', head: words.startedAt, cell: ({ started_at: at }) => <Time iso={at} /> },
    {
      id: 'state',
      phone: 'mark',
      head: words.state,
      cell: ({ status }) => (
        <Status tone={TONES[status]} working={status === 'running'}>
          {words.states[status]}
        </Status>
      ),
    },
    { id: 'found', phone: 'foot', head: words.found, main: true, cell: (check) => <Found check={check} /> },
    {
      id: 'took',
      head: words.took,
      end: true,
      cell: ({ started_at: from, finished_at: to }) =>
        to !== null && <span className={classes['took']}>{format.duration(elapsedMs(from, to))}</span>,
    },
    { id: 'by', head: words.by, cell: ({ started_by: by }) => by },
    {
      id: 'open',
      head: words.actions,
      end: true,
      cell: ({ id, checked }) =>
        checked !== null && (
          <Button kind="quiet" onClick={() => open(id)}>
            {words.show}
          </Button>
        ),
    },
  ];
}

function Found({ check }: { check: EvidenceCheck }) {
  const { checks: words } = useWords(sealingWords);
  const format = useFormat();
  const { status, phase, done, total, checked, problem_count: problems, error } = check;
  if (status === 'running') {
    const text =
      phase === null ? words.begins : words.phases[phase](format.number(done), format.number(total));
    return (
      <div className={classes['running']}>
        <span role="status">{text}</span>
        <Progress label={words.progress} share={total === 0 ? null : done / total} />
      </div>
    );
  }
  if (error !== null)
    return (
      <span className={classes['note']} lang="en">
        {error}
      </span>
    );
  if (problems !== null && problems > 0) return words.problems(problems, format.number(problems));
  return checked === null ? words.nothing : words.leaves(checked.leaves, format.number(checked.leaves));
}
