import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiKey, LeakReport } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { accountActionWords } from '../../../../shared/audit/account-words.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { Dialog } from '../../../../shared/ui/dialog.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { uiWords } from '../../../../shared/ui/words.ts';
import { useWords } from '../../../../shared/words/use-words.ts';
import classes from './page.module.css';
import { keysWords } from './words.ts';

/** Ends a leaked key and what it made, in one step; then shows what it did. */
export function LeakedKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const words = useWords(keysWords);
  const ui = useWords(uiWords);
  const api = useApi();
  const queryClient = useQueryClient();
  const { busy, error, run } = useSubmission();
  const [report, setReport] = useState<LeakReport | null>(null);
  const end = () =>
    run(async () => {
      setReport(await api.call<LeakReport>('POST', `/api-keys/${apiKey.id}/leak`));
      void queryClient.invalidateQueries({ queryKey: ['webhooks'] });
    });
  const close = () => {
    if (report !== null) void queryClient.invalidateQueries({ queryKey: ['api-keys'] });
    onClose();
  };
  if (report !== null) {
    const foot = (
      <Button kind="primary" onClick={close}>
        {ui.close}
      </Button>
    );
    return (
      <Dialog title={words.leakTitle(apiKey.name)} foot={foot} onClose={close} wide>
        <Report report={report} />
      </Dialog>
    );
  }
  const foot = (
    <>
      <Button onClick={close}>{ui.cancel}</Button>
      <Button kind="danger" type="submit" busy={busy}>
        {words.leak}
      </Button>
    </>
  );
  return (
    <Dialog title={words.leakedTitle(apiKey.name)} foot={foot} onSubmit={end} onClose={close}>
      {error !== null && <Refusal error={error} />}
      <p>{words.leakText}</p>
    </Dialog>
  );
}

function Report({ report }: { report: LeakReport }) {
  const words = useWords(keysWords);
  const { revoked_keys: keys, deleted_webhooks: webhooks, changes, messages } = report;
  return (
    <div className={classes['report']}>
      <h3>{words.leakRevoked(keys.length)}</h3>
      <Names names={keys.map(({ id, name }) => ({ id, name }))} />
      <h3>{words.leakWebhooks(webhooks.length)}</h3>
      <Names names={webhooks.map(({ id, url }) => ({ id, name: url }))} />
      <h3>{words.leakMessages(messages.count)}</h3>
      {messages.last_at !== null && (
        <p>
          {words.leakLast} <Time iso={messages.last_at} />
        </p>
      )}
      <h3>{words.leakChanges(changes.length)}</h3>
      <Changes changes={changes} />
    </div>
  );
}

function Names({ names }: { names: readonly { readonly id: string; readonly name: string }[] }) {
  if (names.length === 0) return null;
  return (
    <ul>
      {names.map(({ id, name }) => (
        <li key={id}>
          <Foreign text={name} />
        </li>
      ))}
    </ul>
  );
}

function Changes({ changes }: { changes: LeakReport['changes'] }) {
  const { actions } = useWords(accountActionWords);
  if (changes.length === 0) return null;
  return (
    <ul>
      {changes.map(({ id, occurred_at: at, action, target, client_address: from }) => (
        <li key={id}>
          <Time iso={at} /> · {(actions as Record<string, string>)[action] ?? action}
          {target !== null && (
            <>
              {' · '}
              <Foreign text={target} />
            </>
          )}
          {from !== null && ` · ${from}`}
        </li>
      ))}
    </ul>
  );
}
