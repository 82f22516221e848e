import { useQuery } from '@tanstack/react-query';
import type { Attempt, Message, Session } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { BounceAdvice } from '../../../../shared/mail/bounce.tsx';
import { Fault, Stage } from '../../../../shared/mail/fault.tsx';
import { MessageStatusMark } from '../../../../shared/mail/status.tsx';
import { decidingLine, Transcript } from '../../../../shared/mail/transcript.tsx';
import { mailWords } from '../../../../shared/mail/words.ts';
import { type Fact, Facts, Panel, Row, Stack } from '../../../../shared/ui/layout.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { attemptsQuery } from './queries.ts';
import { messageWords } from './words.ts';

export default function ConversationTab({ message }: { message: Message }) {
  const words = useWords(messageWords);
  const api = useApi();
  return (
    <Loaded query={useQuery(attemptsQuery(api, message))} rows={6}>
      {({ data }) =>
        data.length === 0 ? (
          <Empty title={words.noAttempts}>{words.noAttemptsText}</Empty>
        ) : (
          <Stack>
            {data.toReversed().map((attempt) => (
              <AttemptPanel key={attempt.attempt} attempt={attempt} />
            ))}
          </Stack>
        )
      }
    </Loaded>
  );
}

function AttemptPanel({ attempt }: { attempt: Attempt }) {
  const words = useWords(messageWords);
  const names = useWords(mailWords);
  const decided = decidingLine(attempt);
  const { outcome, bounce_type: bounceType, bounce, deferral, sessions, reply } = attempt;
  const facts: Fact[] = [];
  if (bounceType !== null) facts.push({ name: words.ruleSays, value: names.bounceTypes[bounceType] });
  if ((bounce ?? deferral)?.reason)
    facts.push({ name: words.why, value: <BounceAdvice bounce={bounce} deferral={deferral} /> });
  return (
    <Panel
      title={words.attempt(attempt.attempt)}
      actions={
        <Row>
          <MessageStatusMark status={outcome} badge />
          <Time iso={attempt.started_at} />
        </Row>
      }
    >
      <Stack>
        {facts.length > 0 && <Facts facts={facts} />}
        {sessions.length === 0 && (
          <p lang={reply === null ? undefined : 'en'}>{reply?.text ?? words.noSession}</p>
        )}
        {sessions.map((session, index) => (
          <SessionPart
            // biome-ignore lint/suspicious/noArrayIndexKey: sessions never change places
            key={index}
            session={session}
            decided={decided?.session === index ? decided.line : null}
            outcome={outcome}
          />
        ))}
      </Stack>
    </Panel>
  );
}

interface SessionProps {
  readonly session: Session;
  readonly decided: number | null;
  readonly outcome: Attempt['outcome'];
}

function SessionPart({ session, decided, outcome }: SessionProps) {
  const words = useWords(messageWords);
  const names = useWords(mailWords);
  const { tls, error, stage, earlier_messages: earlier } = session;
  const facts: Fact[] = [
    {
      name: 'TLS',
      value:
        tls === null
          ? names.cleartext
          : `${tls.version}, ${tls.cipher} (${names.tlsPolicies[session.tls_policy]})`,
    },
    ...(tls === null
      ? []
      : [
          {
            name: words.tlsError,
            value: tls.authorized ? (
              names.certificateTrusted
            ) : tls.error === null ? (
              names.certificateUntrusted
            ) : (
              <Fault text={tls.error} />
            ),
          },
        ]),
    ...(error === null
      ? []
      : [
          { name: words.error, value: <Fault code={error.code} text={error.message} /> },
          { name: words.stage, value: <Stage stage={stage} /> },
        ]),
  ];
  return (
    <Stack>
      <h3>{words.sessionTo(session.mx, session.address)}</h3>
      {earlier > 0 && <p>{names.reused(earlier)}</p>}
      <Facts facts={facts} />
      <Transcript session={session} decided={decided} outcome={outcome} />
    </Stack>
  );
}
