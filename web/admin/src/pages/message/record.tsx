import type { DestinationWindow, OperatorMessage, Pause } from '../../../../shared/api/admin-types.ts';
import { useFormat } from '../../../../shared/format/format.ts';
import { BounceAdvice } from '../../../../shared/mail/bounce.tsx';
import { Link } from '../../../../shared/routing/link.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { Hash } from '../../../../shared/ui/hash.tsx';
import { type Fact, Facts, Panel } from '../../../../shared/ui/layout.tsx';
import { Section } from '../../../../shared/ui/section.tsx';
import { Status } from '../../../../shared/ui/status.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import classes from './page.module.css';
import { messageWords } from './words.ts';

export function Record({ message }: { message: OperatorMessage }) {
  const words = useWords(messageWords);
  const format = useFormat();
  const { queue, last_reply: reply, send_at: sendAt, sealed_at: sealedAt, acknowledgement: asked } = message;
  const facts: (Fact | null)[] = [
    { name: words.id, value: <Hash value={message.message_id} what={words.id} /> },
    { name: words.accepted, value: <Time iso={message.created_at} form="dateTime" /> },
    sendAt === null ? null : { name: words.sendAt, value: <Time iso={sendAt} /> },
    { name: words.since, value: <Time iso={message.since} /> },
    asked === null ? null : { name: words.acknowledgement, value: <Acknowledgement of={asked} /> },
    sealedAt === null ? null : { name: words.sealed, value: <Time iso={sealedAt} form="utc" /> },
    { name: words.attempts, value: format.number(message.attempts) },
    reply === null ? null : { name: words.reply, value: <Reply reply={reply} /> },
    message.bounce?.reason == null
      ? null
      : { name: words.bounce, value: <BounceAdvice bounce={message.bounce} /> },
    message.deferral?.reason == null
      ? null
      : { name: words.deferral, value: <BounceAdvice deferral={message.deferral} /> },
    queue === null
      ? null
      : {
          name: words.destination,
          value: (
            <Link to={`/queue?destination=${encodeURIComponent(queue.destination)}`}>
              {queue.destination}
            </Link>
          ),
        },
    queue === null ? null : { name: words.due, value: <Time iso={queue.due_at} /> },
    queue === null ? null : { name: words.expires, value: <Time iso={queue.expires_at} /> },
    queue === null || message.due_before === 0
      ? null
      : { name: words.before, value: words.messages(message.due_before, format.number(message.due_before)) },
    pauseFact(words.destinationPaused, message.destination_pause),
    pauseFact(words.accountPaused, message.tenant_pause),
    { name: words.pool, value: message.source_pool ?? words.defaultPool },
    { name: words.size, value: format.bytes(message.size_bytes) },
    message.sandbox ? { name: words.goesTo, value: words.sandbox } : null,
  ];
  return (
    <Panel title={words.record}>
      <Facts facts={facts.filter((fact) => fact !== null)} />
    </Panel>
  );
}

/** Shows the outcome; who answered and why is for the customer only. */
function Acknowledgement({ of }: { of: NonNullable<OperatorMessage['acknowledgement']> }) {
  const { acknowledgements } = useWords(messageWords);
  const format = useFormat();
  const { status, source, at, until } = of;
  const kind = status === 'acknowledged' && source === 'reported_by_mail' ? 'byMail' : status;
  const time = format.dateTime(status === 'requested' || at === null ? until : at);
  return <Status tone={TONES[status]}>{acknowledgements[kind](time)}</Status>;
}

const TONES = {
  requested: 'waiting',
  acknowledged: 'sent',
  refused: 'failed',
  unanswered: 'neutral',
} as const;

function Reply({ reply }: { reply: NonNullable<OperatorMessage['last_reply']> }) {
  const { code, enhanced, text, mx } = reply;
  return (
    <>
      <code lang="en">
        {[code, text.startsWith(enhanced ?? ' ') ? null : enhanced, text]
          .filter((each) => each !== null)
          .join(' ')}
      </code>
      {mx !== null && <div className={classes['note']}>{mx}</div>}
    </>
  );
}

function pauseFact(name: string, pause: Pause | null): Fact | null {
  if (pause === null) return null;
  return { name, value: <Paused pause={pause} /> };
}

function Paused({ pause: { paused_by: by, paused_at: at, reason } }: { pause: Pause }) {
  const words = useWords(messageWords);
  const format = useFormat();
  return (
    <>
      <Status tone="waiting">{words.pausedBy(by, format.relative(at))}</Status>
      <div className={classes['note']}>
        <Foreign text={reason} />
      </div>
    </>
  );
}

/** How many sessions delivery may have with the destination, by process and pool. */
export function Windows({ windows }: { windows: readonly DestinationWindow[] }) {
  const words = useWords(messageWords);
  const format = useFormat();
  const columns: readonly Column<DestinationWindow & { readonly key: string }>[] = [
    {
      id: 'pool',
      head: words.pool,
      main: true,
      cell: ({ source_pool: pool }) => <span className={classes['name']}>{pool}</span>,
    },
    {
      id: 'used',
      head: words.sessions,
      end: true,
      cell: ({ in_use: used, places }) => words.ofPlaces(format.number(used), format.number(places)),
    },
    { id: 'waiting', head: words.waitForSession, end: true, cell: ({ waiting }) => format.number(waiting) },
    {
      id: 'closed',
      head: words.state,
      cell: ({ closed_until: until }) =>
        until === null ? (
          <Status tone="sent">{words.open}</Status>
        ) : (
          <Status tone="failed">{words.closedUntil(format.time(until))}</Status>
        ),
    },
  ];
  const rows = windows.map((window, index) => ({ ...window, key: String(index) }));
  return (
    <Section title={words.windows} hint={words.windowsHint}>
      <Table label={words.windows} columns={columns} rows={rows} rowKey={({ key }) => key} />
    </Section>
  );
}
