import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Download, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useMe } from '../../../../shared/app/me.tsx';
import { keep } from '../../../../shared/evidence/log/held.ts';
import type { Watched } from '../../../../shared/evidence/log/watched.ts';
import { download } from '../../../../shared/format/download.ts';
import { useFormat } from '../../../../shared/format/format.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { Confirm } from '../../../../shared/ui/dialog.tsx';
import { Hash } from '../../../../shared/ui/hash.tsx';
import { CodeBlock, Facts, Panel, Stack } from '../../../../shared/ui/layout.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Notice } from '../../../../shared/ui/notice.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { History, Witnesses } from './history.tsx';
import classes from './page.module.css';
import { LOG_KEY, type LogLook, logQuery } from './queries.ts';
import { Steps } from './steps.tsx';
import { operatorWords } from './words.ts';

export default function Look() {
  const api = useApi();
  const { account } = useMe();
  const query = useQuery(logQuery(api, account?.id ?? ''));
  return (
    <Loaded query={query} rows={10}>
      {(look) => (
        <Stack>
          <Outcome look={look} busy={query.isFetching} onAgain={() => void query.refetch()} />
          <Steps steps={look.watched.steps} dueSeconds={look.watched.dueSeconds} />
          <Now look={look} />
          <History history={look.watched.history} />
          <Witnesses witnesses={look.watched.witnesses} />
          <Program watched={look.watched} />
          <Forget />
        </Stack>
      )}
    </Loaded>
  );
}

interface OutcomeProps {
  readonly look: LogLook;
  readonly busy: boolean;
  readonly onAgain: () => void;
}

function Outcome({ look: { watched }, busy, onAgain }: OutcomeProps) {
  const words = useWords(operatorWords);
  const format = useFormat();
  const { steps, heldSize } = watched;
  const faults = steps.flatMap((step) => step.faults);
  const notes = [...new Set(faults.flatMap((fault) => fault.notes))];
  const isGood = faults.length === 0;
  const again = (
    <Button icon={RefreshCw} busy={busy} onClick={onAgain}>
      {words.lookAgain}
    </Button>
  );
  return (
    <Notice tone={isGood ? 'sent' : 'failed'} live>
      <strong>{isGood ? words.good : words.bad}</strong>
      {isGood && <p>{heldSize === null ? words.goodFirst : words.goodSince(format.number(heldSize))}</p>}
      {!isGood && (
        <>
          <ul className={classes['faults']}>
            {[...new Set(faults.map(({ code }) => code))].map((code) => (
              <li key={code}>{words.faults[code]}</li>
            ))}
          </ul>
          <p>{words.badText}</p>
        </>
      )}
      <div className={classes['actions']}>
        {notes.length > 0 && (
          <Button kind="primary" icon={Download} onClick={() => save(notes)}>
            {words.save}
          </Button>
        )}
        {again}
      </div>
    </Notice>
  );
}

/** Between two signed notes, which end in a line break (C2SP signed-note). */
const BETWEEN_NOTES = '\n';

function save(notes: readonly string[]): void {
  download('log-statements.txt', new Blob([notes.join(BETWEEN_NOTES)], { type: 'text/plain' }));
}

function Now({ look: { watched, heldSince } }: { look: LogLook }) {
  const words = useWords(operatorWords);
  const format = useFormat();
  const { newest, origin, heldSize } = watched;
  return (
    <Panel title={words.now}>
      <Facts
        facts={[
          { name: words.log, value: <code className={classes['name']}>{origin}</code> },
          ...(newest === null
            ? []
            : [
                { name: words.size, value: format.number(newest.size) },
                { name: words.root, value: <Hash value={newest.root} what={words.root} /> },
              ]),
          {
            name: words.remembered,
            value:
              heldSize === null ? words.rememberedNothing : words.rememberedSize(format.number(heldSize)),
          },
          ...(heldSince === null ? [] : [{ name: words.since, value: <Time iso={heldSince} /> }]),
        ]}
      />
    </Panel>
  );
}

function Program({ watched: { key } }: { watched: Watched }) {
  const words = useWords(operatorWords);
  const command = `acuse monitor ${location.origin}/log --key '${key}' --state monitor.json --interval 5m`;
  return (
    <Panel title={words.program}>
      <p className={classes['lead']}>{words.programText}</p>
      <Stack>
        <CodeBlock label={words.command} text={command} wrap />
        <CodeBlock label={words.key} text={key} wrap />
      </Stack>
    </Panel>
  );
}

function Forget() {
  const words = useWords(operatorWords);
  const queries = useQueryClient();
  const [asks, setAsks] = useState(false);
  const forget = () => {
    keep(null);
    setAsks(false);
    void queries.resetQueries({ queryKey: [LOG_KEY] });
  };
  return (
    <div>
      <Button onClick={() => setAsks(true)}>{words.forget}</Button>
      {asks && (
        <Confirm
          title={words.forget}
          action={words.forgetNow}
          danger
          onConfirm={forget}
          onClose={() => setAsks(false)}
        >
          {words.forgetText}
        </Confirm>
      )}
    </div>
  );
}
