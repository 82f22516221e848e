import { useQuery } from '@tanstack/react-query';
import type { CheckedCounts, CheckProblem, EvidenceCheck } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { Dialog } from '../../../../shared/ui/dialog.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { Facts, Stack } from '../../../../shared/ui/layout.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Notice } from '../../../../shared/ui/notice.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import classes from './page.module.css';
import { checkQuery } from './queries.ts';
import { sealingWords } from './words.ts';

export function CheckDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { checks: words } = useWords(sealingWords);
  const query = useQuery(checkQuery(useApi(), id));
  return (
    <Dialog title={words.dialog} wide onClose={onClose}>
      <Loaded query={query}>{(check) => <Findings check={check} />}</Loaded>
    </Dialog>
  );
}

const COUNTED: readonly (keyof CheckedCounts)[] = [
  'tenants',
  'logs',
  'leaves',
  'messages',
  'outcomes',
  'erased',
  'archived',
  'tiles',
  'checkpoints',
  'certificates',
];

function Findings({ check: { checked, problems, problem_count: count } }: { check: EvidenceCheck }) {
  const { checks: words } = useWords(sealingWords);
  const format = useFormat();
  const columns: readonly Column<CheckProblem>[] = [
    { id: 'check', head: words.rule, cell: ({ check }) => <code>{check}</code> },
    {
      id: 'detail',
      head: words.detail,
      main: true,
      cell: ({ subject, detail }) => (
        <div lang="en">
          <div className={classes['name']}>
            <Foreign text={subject} />
          </div>
          <div className={classes['note']}>{detail}</div>
        </div>
      ),
    },
  ];
  return (
    <Stack>
      {count === 0 && <Notice tone="sent">{words.clean}</Notice>}
      {count !== null && count > 0 && (
        <>
          <Notice tone="failed">{words.problems(count, format.number(count))}</Notice>
          <Table
            label={words.list}
            columns={columns}
            rows={problems}
            rowKey={({ check, subject, detail }) => `${check} ${subject} ${detail}`}
          />
          {count > problems.length && <p>{words.first(format.number(problems.length))}</p>}
        </>
      )}
      {checked !== null && (
        <Facts
          facts={COUNTED.map((name) => ({ name: words.counted[name], value: format.number(checked[name]) }))}
        />
      )}
    </Stack>
  );
}
