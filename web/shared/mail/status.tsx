import type { Message, MessageStatus } from '../api/portal-types.ts';
import { elapsedMs } from '../format/clock.ts';
import { useFormat } from '../format/format.ts';
import { SealIcon, type SealState } from '../ui/seal.tsx';
import { Status, type Tone } from '../ui/status.tsx';
import { useWords } from '../words/use-words.ts';
import classes from './status.module.css';
import { mailWords } from './words.ts';

const TONES: Readonly<Record<MessageStatus, Tone>> = {
  scheduled: 'neutral',
  queued: 'waiting',
  sent: 'sent',
  deferred: 'waiting',
  bounced: 'failed',
  cancelled: 'neutral',
  complained: 'failed',
};

/** A message’s status. */
export function MessageStatusMark({ status, badge = false }: { status: MessageStatus; badge?: boolean }) {
  const words = useWords(mailWords);
  return (
    <Status tone={TONES[status]} badge={badge} working={status === 'queued'}>
      {words.statuses[status]}
    </Status>
  );
}

export function sealStateOf({
  certified,
  sealed_at,
}: Pick<Message, 'certified' | 'sealed_at'>): 'plain' | 'promised' | 'sealed' {
  if (!certified) return 'plain';
  return sealed_at === null ? 'promised' : 'sealed';
}

interface SealMarkProps {
  readonly message: Pick<Message, 'certified' | 'sealed_at' | 'created_at'>;
  /** This browser's finding, if it checked: shown by the mark's sign. */
  readonly found?: SealState | undefined;
}

/** How far its evidence is: ◆ with the time that sealing took, ◇ promised, – plain. */
export function SealMark({ message, found }: SealMarkProps) {
  const words = useWords(mailWords);
  const format = useFormat();
  const state = sealStateOf(message);
  const { sealed_at: sealedAt } = message;
  const took =
    sealedAt === null ? null : format.duration(Math.max(0, elapsedMs(message.created_at, sealedAt)));
  return (
    <span
      className={`${classes['seal']} ${sealedAt === null ? '' : classes['sealed']}`}
      title={took === null ? undefined : words.sealedAfter(took)}
    >
      <SealIcon state={found ?? state} />
      <span className={classes['word']}>{words.seals[state]}</span>
    </span>
  );
}
