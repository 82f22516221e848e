import type { BounceReasonShare } from '../api/portal-types.ts';
import { useFormat } from '../format/format.ts';
import { Todo } from '../mail/bounce-advice.tsx';
import { bounceWords } from '../mail/bounce-words.ts';
import { Section } from '../ui/section.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { useWords } from '../words/use-words.ts';
import classes from './rates.module.css';
import { ratesWords } from './words.ts';

interface Props {
  readonly reasons: readonly BounceReasonShare[];
  /** For messages that are tried again. */
  readonly waits?: boolean;
}

/** Why messages bounced, or wait, and what to do. */
export default function Reasons({ reasons, waits = false }: Props) {
  const words = useWords(ratesWords);
  const bounces = useWords(bounceWords);
  const format = useFormat();
  // A newer server may know reasons that this page does not.
  const known: Readonly<Record<string, string>> = bounces.reasons;
  const columns: readonly Column<BounceReasonShare>[] = [
    {
      id: 'reason',
      head: words.reason,
      cell: ({ reason }) => (reason === null ? words.reasonUnknown : (known[reason] ?? reason)),
    },
    { id: 'messages', head: words.messages, end: true, cell: ({ messages }) => format.number(messages) },
    {
      id: 'share',
      head: waits ? words.shareWaiting : words.share,
      end: true,
      cell: ({ share }) => format.percent(share, 1),
    },
    {
      id: 'advice',
      head: words.advice,
      cell: ({ reason }) => (
        <div className={classes['advice']}>{reason !== null && <Todo reason={reason} waits={waits} />}</div>
      ),
    },
  ];
  return (
    <Section
      title={waits ? words.deferrals : words.reasons}
      hint={waits ? words.deferralsHint : words.reasonsHint}
    >
      <Table
        label={waits ? words.deferrals : words.reasons}
        columns={columns}
        rows={reasons}
        rowKey={({ reason }) => reason ?? ''}
      />
    </Section>
  );
}
