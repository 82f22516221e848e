import { replyLine } from '@acuse/evidence/reply-line';
import { useQuery } from '@tanstack/react-query';
import { Circle, CircleCheck, Clock3, OctagonX } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Attempt, Message } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { BounceAdvice } from '../../../../shared/mail/bounce.tsx';
import { MessageStatusMark } from '../../../../shared/mail/status.tsx';
import { mailWords } from '../../../../shared/mail/words.ts';
import { Link } from '../../../../shared/routing/link.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { Hash } from '../../../../shared/ui/hash.tsx';
import { Loaded, NotLoaded, Stale } from '../../../../shared/ui/loaded.tsx';
import { Said } from '../../../../shared/ui/said.tsx';
import { SealIcon } from '../../../../shared/ui/seal.tsx';
import type { Tone } from '../../../../shared/ui/status.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { acknowledgementWords } from './acknowledgement-words.ts';
import { attemptsQuery, eventsQuery, isWaiting, reportsQuery, waitingQuery } from './queries.ts';
import classes from './timeline.module.css';
import { type Entry, entriesOf, toneOf } from './timeline-entries.ts';
import { messageWords } from './words.ts';

export default function TimelineTab({ message }: { message: Message }) {
  const api = useApi();
  const attempts = useQuery(attemptsQuery(api, message));
  const events = useQuery(eventsQuery(api, message));
  const queries = [attempts, events];
  if (attempts.data === undefined || events.data === undefined)
    return <NotLoaded queries={queries} rows={4} />;
  return (
    <>
      <Stale queries={queries} />
      <ol className={classes['list']}>
        {entriesOf(message, attempts.data.data, events.data.data).map((entry) => (
          <Line key={`${entry.kind} ${entry.at}`} at={entry.at} tone={toneOf(entry)}>
            <EntryText entry={entry} message={message} />
          </Line>
        ))}
        {isWaiting(message.status) && <WaitingLines message={message} />}
        <Asked message={message} />
        <Receipts message={message} />
      </ol>
    </>
  );
}

/** While the recipient may still answer. */
function Asked({ message: { acknowledgement } }: { message: Message }) {
  const words = useWords(acknowledgementWords);
  const format = useFormat();
  if (acknowledgement?.status !== 'requested') return null;
  return (
    <Line at={null} tone="waiting">
      <b>{words.asked}</b>
      <div className={classes['detail']}>{words.askedUntil(format.dateTime(acknowledgement.until))}</div>
    </Line>
  );
}

/** Read receipts: what a program states, and no proof of anything. RFC 8098 §3.2.6 */
function Receipts({ message }: { message: Message }) {
  const words = useWords(messageWords);
  const query = useQuery(reportsQuery(useApi(), message));
  if (query.isLoadingError)
    return (
      <li>
        <NotLoaded queries={[query]} />
      </li>
    );
  const receipts = (query.data?.data ?? []).filter(({ says }) => says === 'receipt');
  return receipts.map(({ received_at: at, reported_by_mail: { claims, mail_from: from } }) => (
    <Line key={at} at={at} tone="neutral">
      <b>{words.receipt}</b>
      <div className={classes['detail']}>
        <Foreign text={`${claims.final_recipient ?? from}: ${claims.reply?.text ?? ''}`} />
      </div>
      <div className={classes['detail']}>{words.receiptText}</div>
    </Line>
  ));
}

interface LineProps {
  /** Null: now. */
  readonly at: string | null;
  readonly tone: Tone;
  readonly children: ReactNode;
}

function Line({ at, tone, children }: LineProps) {
  const words = useWords(messageWords);
  const format = useFormat();
  return (
    <li className={classes['entry']}>
      <div className={classes['at']}>
        {at === null ? (
          words.now
        ) : (
          <>
            <div className={classes['day']}>{format.date(at)}</div>
            <Time iso={at} form="precise" />
          </>
        )}
      </div>
      <div className={`${classes['mark']} ${classes[tone] ?? ''}`}>
        <Mark tone={tone} />
      </div>
      <div className={classes['what']}>{children}</div>
    </li>
  );
}

function Mark({ tone }: { tone: Tone }) {
  switch (tone) {
    case 'sealed':
      return <SealIcon state="sealed" />;
    case 'sent':
      return <CircleCheck size={16} aria-hidden="true" />;
    case 'waiting':
      return <Clock3 size={16} aria-hidden="true" />;
    case 'failed':
      return <OctagonX size={16} aria-hidden="true" />;
    default:
      return <Circle size={12} aria-hidden="true" />;
  }
}

function EntryText({ entry, message }: { entry: Entry; message: Message }) {
  const words = useWords(messageWords);
  const { answers, answerMeans, byMail } = useWords(acknowledgementWords);
  const format = useFormat();
  switch (entry.kind) {
    case 'accepted':
      return (
        <>
          <b>{words.accepted}</b>
          {message.promise !== null && <div className={classes['detail']}>{words.promised}</div>}
        </>
      );
    case 'scheduled':
      return <b>{words.scheduledFor(format.dateTime(message.send_at ?? entry.at))}</b>;
    case 'queued':
      return <b>{words.queued}</b>;
    case 'attempt':
      return <AttemptText attempt={entry.attempt} messageId={message.id} />;
    case 'sealed':
      return (
        <>
          <b>{words.sealed}</b>
          <div className={classes['detail']}>{words.sealedText}</div>
          {entry.certificateId !== null && (
            <div className={classes['detail']}>
              {words.certificate} <Hash value={entry.certificateId} what={words.certificate} />
            </div>
          )}
        </>
      );
    case 'complained':
      return <b>{words.complained}</b>;
    case 'acknowledged':
    case 'ackRefused':
      return (
        <>
          <b>{answers[entry.kind]}</b>
          <div className={classes['detail']}>
            {message.acknowledgement?.source === 'reported_by_mail' ? byMail : answerMeans}
          </div>
        </>
      );
    case 'unanswered':
      return <b>{answers.unanswered}</b>;
    case 'reported':
      return (
        <>
          <b>{words.reportedLater}</b>
          <BounceAdvice bounce={message.bounce} className={classes['detail']} />
        </>
      );
    case 'cancelled':
      return <b>{words.cancelledEvent}</b>;
    case 'erased':
      return <b>{words.erased}</b>;
  }
}

function AttemptText({ attempt, messageId }: { attempt: Attempt; messageId: string }) {
  const words = useWords(messageWords);
  const names = useWords(mailWords);
  const { outcome, bounce_type: bounceType, reply, sessions } = attempt;
  const last = sessions.at(-1);
  return (
    <>
      <b>
        <Link to={`/messages/${messageId}/conversation`}>{words.attempt(attempt.attempt)}</Link>
      </b>
      <MessageStatusMark status={outcome} />
      {last !== undefined && (
        <div className={classes['detail']}>
          {words.via(last.mx, last.address)}
          {' · '}
          {last.tls === null
            ? names.cleartext
            : `${last.tls.version} (${names.tlsPolicies[last.tls_policy]})`}
        </div>
      )}
      {last === undefined && <div className={classes['detail']}>{words.noSession}</div>}
      {reply !== null && (
        <div className={classes['detail']} lang="en">
          <code>
            <Foreign text={replyLine(reply)} />
          </code>
        </div>
      )}
      {bounceType !== null && <div className={classes['detail']}>{names.bounceTypes[bounceType]}</div>}
      <BounceAdvice bounce={attempt.bounce} deferral={attempt.deferral} className={classes['detail']} />
    </>
  );
}

function WaitingLines({ message }: { message: Message }) {
  const api = useApi();
  const query = useQuery(waitingQuery(api, message));
  return (
    <Line at={null} tone="waiting">
      <Loaded query={query} rows={1}>
        {({ reasons }) =>
          reasons.map(({ code, text }) => (
            <div key={code} className={classes['reason']}>
              <Said text={text} />
            </div>
          ))
        }
      </Loaded>
    </Line>
  );
}
