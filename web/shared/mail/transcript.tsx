import { Play, Square } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Attempt, Session, TranscriptLine } from '../api/portal-types.ts';
import { useFormat } from '../format/format.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { Foreign } from '../ui/foreign.tsx';
import { Hidden } from '../ui/hidden.tsx';
import { Row, Stack } from '../ui/layout.tsx';
import { useWords } from '../words/use-words.ts';
import classes from './transcript.module.css';
import { mailWords } from './words.ts';

/** No pause of a replay is longer: nobody waits for a server's minutes twice (ms). */
const PAUSE_MAX_MS = 4_000;

export interface TranscriptProps {
  readonly session: Session;
  /** Index of the deciding line; null: none in this session. */
  readonly decided: number | null;
  readonly outcome: Attempt['outcome'];
}

export function Transcript({ session, decided, outcome }: TranscriptProps) {
  const words = useWords(mailWords);
  const { transcript } = session;
  const { shown, playing, play, stop } = useReplay(transcript);
  const tone = outcome === 'sent' ? classes['sent'] : outcome === 'bounced' ? classes['failed'] : '';
  const text = transcript.map(({ who, line }) => `${who} ${line}`).join('\n');
  return (
    <Stack>
      <ol className={classes['lines']} aria-label={words.transcript}>
        {transcript.slice(0, shown).map((each, index) => (
          <Line
            // biome-ignore lint/suspicious/noArrayIndexKey: a conversation only grows
            key={index}
            line={each}
            note={index === decided ? words.decided : null}
            className={index === decided ? `${classes['decided']} ${tone}` : ''}
          />
        ))}
      </ol>
      <Row>
        <Button icon={playing ? Square : Play} onClick={playing ? stop : play}>
          {playing ? words.stop : words.play}
        </Button>
        <CopyButton text={text} what={words.transcript} />
      </Row>
    </Stack>
  );
}

/** Shows people that the token of a return path was left out. */
function withoutToken(line: string): string {
  return line.replace(/\b(b\+)redacted@/gi, '$1…@');
}

interface LineProps {
  readonly line: TranscriptLine;
  readonly note: string | null;
  readonly className: string;
}

function Line({ line, note, className }: LineProps) {
  const words = useWords(mailWords);
  const format = useFormat();
  const isServer = line.who === 'S';
  return (
    <li className={`${classes['line']} ${isServer ? classes['server'] : ''} ${className}`}>
      <span className={classes['who']}>
        <span aria-hidden="true">{line.who}</span>
        <Hidden>{isServer ? words.server : words.client}</Hidden>
      </span>
      <span className={classes['at']}>+{format.duration(line.t_ms)}</span>
      <span className={classes['text']} lang="en">
        <Foreign text={withoutToken(line.line)} />
        {note !== null && <strong className={classes['note']}>← {note}</strong>}
      </span>
    </li>
  );
}

function useReplay(transcript: readonly TranscriptLine[]) {
  const [at, setAt] = useState<number | null>(null);
  useEffect(() => {
    if (at === null) return undefined;
    const next = transcript[at];
    if (next === undefined) return setAt(null);
    const pause = next.t_ms - (transcript[at - 1]?.t_ms ?? 0);
    const timer = setTimeout(() => setAt(at + 1), Math.min(PAUSE_MAX_MS, Math.max(0, pause)));
    return () => clearTimeout(timer);
  }, [at, transcript]);
  return {
    shown: at ?? transcript.length,
    playing: at !== null,
    play: () => setAt(0),
    stop: () => setAt(null),
  };
}

/**
 * The line and session that decided an attempt: the last answer of the last session that says what the
 * attempt's reply says. Null: no server's answer did.
 */
export function decidingLine(attempt: Attempt): { session: number; line: number } | null {
  const { reply, sessions } = attempt;
  if (reply === null || reply.code === null) return null;
  const start = String(reply.code);
  for (let session = sessions.length - 1; session >= 0; session--) {
    const { mx, transcript } = sessions[session]!;
    if (reply.mx !== null && reply.mx !== mx) continue;
    const line = transcript.findLastIndex(
      ({ who, line: said }, index) =>
        who === 'S' && said.startsWith(start) && !/^QUIT/i.test(transcript[index - 1]?.line ?? ''),
    );
    if (line !== -1) return { session, line };
  }
  return null;
}
