import type { Past, Watched } from '../../../../shared/evidence/log/watched.ts';
import { secondsIso } from '../../../../shared/format/clock.ts';
import { useFormat } from '../../../../shared/format/format.ts';
import { Hash } from '../../../../shared/ui/hash.tsx';
import { Section } from '../../../../shared/ui/section.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { Status } from '../../../../shared/ui/status.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { operatorWords } from './words.ts';

/** Earlier checkpoints, newest first, each compared with today's log. */
export function History({ history }: { history: readonly Past[] }) {
  const words = useWords(operatorWords);
  const format = useFormat();
  const columns: readonly Column<Past>[] = [
    { id: 'size', head: words.size, cell: ({ size }) => format.number(size) },
    {
      id: 'result',
      head: words.result,
      cell: ({ ok }) => <Status tone={ok ? 'sent' : 'failed'}>{ok ? words.belongs : words.foreign}</Status>,
    },
    {
      id: 'root',
      head: words.root,
      cell: ({ root }) => (root === '' ? '–' : <Hash value={root} what={words.root} />),
    },
    {
      id: 'authority',
      head: words.authority,
      main: true,
      cell: ({ stamp }) => (stamp === null ? '–' : stamp.development ? words.development : stamp.authority),
    },
    {
      id: 'stamped',
      head: words.stamped,
      end: true,
      cell: ({ stamp }) => (stamp === null ? '–' : <Time iso={stamp.genTime} form="utc" />),
    },
  ];
  return (
    <Section title={words.history}>
      {history.length === 0 ? (
        <Empty title={words.historyEmptyTitle}>{words.historyEmpty}</Empty>
      ) : (
        <Table label={words.history} columns={columns} rows={history} rowKey={({ size }) => String(size)} />
      )}
    </Section>
  );
}

type Witness = Watched['witnesses'][number];

/** Witnesses that the bundles name. */
export function Witnesses({ witnesses }: { witnesses: readonly Witness[] }) {
  const words = useWords(operatorWords);
  if (witnesses.length === 0) return null;
  const columns: readonly Column<Witness>[] = [
    { id: 'name', head: words.witness, main: true, cell: ({ name }) => <code>{name}</code> },
    {
      id: 'saw',
      head: words.saw,
      end: true,
      cell: ({ unixSeconds: at }) => (at === null ? words.notYet : <Time iso={secondsIso(at)} />),
    },
  ];
  return (
    <Section title={words.witnesses}>
      <Table label={words.witnesses} columns={columns} rows={witnesses} rowKey={({ name }) => name} />
    </Section>
  );
}
