import { useQuery } from '@tanstack/react-query';
import type { SenderRequirement } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Section } from '../../../../shared/ui/section.tsx';
import { Status } from '../../../../shared/ui/status.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import classes from './page.module.css';
import { requirementsOfQuery } from './queries.ts';
import { COUNTED, requirementWords } from './requirement-words.ts';

/** Receivers' rules for bulk senders, with the observations for each. */
export default function Requirements({ id }: { id: string }) {
  const words = useWords(requirementWords);
  const api = useApi();
  const columns = useColumns();
  return (
    <Section title={words.title} hint={words.hint}>
      <Loaded query={useQuery(requirementsOfQuery(api, id))} rows={8}>
        {({ requirements }) => (
          <Table label={words.title} columns={columns} rows={requirements} rowKey={({ rule }) => rule} />
        )}
      </Loaded>
    </Section>
  );
}

const TONES = {
  met: 'sent',
  at_risk: 'waiting',
  unmet: 'failed',
  not_needed: 'neutral',
  unknown: 'neutral',
} as const;

function useColumns(): readonly Column<SenderRequirement>[] {
  const words = useWords(requirementWords);
  return [
    // A newer server may know rules that this page does not.
    { id: 'rule', head: words.rule, main: true, cell: ({ rule }) => words.rules[rule] ?? rule },
    {
      id: 'verdict',
      head: words.verdict,
      cell: ({ verdict }) => <Status tone={TONES[verdict]}>{words.verdicts[verdict]}</Status>,
    },
    { id: 'seen', head: words.seen, cell: (requirement) => <Seen requirement={requirement} /> },
  ];
}

function Seen({ requirement: { rule, verdict, part, total, found } }: { requirement: SenderRequirement }) {
  const words = useWords(requirementWords);
  const format = useFormat();
  const counts = COUNTED.find((each) => each === rule);
  const counted =
    counts === undefined || part === null || total === null || total === 0
      ? null
      : verdict === 'not_needed'
        ? words.unmarked(format.number(total))
        : words.counts[counts](format.number(part), format.number(total));
  const said = counted ?? (found.length > 0 ? <Foreign text={found.join(', ')} /> : words.nothing);
  return (
    <div className={classes['seen']}>
      {said}
      {(verdict === 'unmet' || verdict === 'at_risk') && <div>{words.advice[rule]}</div>}
    </div>
  );
}
