import type { BounceReasonShare } from '../api/portal-types.ts';
import { useFormat } from '../format/format.ts';
import { bounceWords } from '../mail/bounce-words.ts';
import { Section } from '../ui/section.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { useWords } from '../words/use-words.ts';
import classes from './rates.module.css';
import { ratesWords } from './words.ts';

/** Why messages bounced, and what to do. */
export default function Reasons({ reasons }: { reasons: readonly BounceReasonShare[] }) {
  const words = useWords(ratesWords);
  const bounces = useWords(bounceWords);
  const format = useFormat();
  // A newer server may know reasons that this page does not.
  const known: Readonly<Record<string, string>> = bounces.reasons;
  const advice: Readonly<Record<string, string>> = bounces.advice;
  const columns: readonly Column<BounceReasonShare>[] = [
    {
      id: 'reason',
      head: words.reason,
      cell: ({ reason }) => (reason === null ? words.reasonUnknown : (known[reason] ?? reason)),
    },
    { id: 'messages', head: words.messages, end: true, cell: ({ messages }) => format.number(messages) },
    { id: 'share', head: words.share, end: true, cell: ({ share }) => format.percent(share, 1) },
    {
      id: 'advice',
      head: words.advice,
      cell: ({ reason }) => <div className={classes['advice']}>{reason !== null && advice[reason]}</div>,
    },
  ];
  return (
    <Section title={words.reasons} hint={words.reasonsHint}>
      <Table label={words.reasons} columns={columns} rows={reasons} rowKey={({ reason }) => reason ?? ''} />
    </Section>
  );
}
