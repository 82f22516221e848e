import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Webhook, WebhookWithSecret } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useShowOnce } from '../../../../shared/app/once.tsx';
import { useLeaveGuard } from '../../../../shared/routing/leave-guard.tsx';
import { useGo } from '../../../../shared/routing/link.tsx';
import { Button } from '../../../../shared/ui/button.tsx';
import { Confirm } from '../../../../shared/ui/dialog.tsx';
import { CheckField } from '../../../../shared/ui/field.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { Form, Panel, Stack } from '../../../../shared/ui/layout.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import { isComplete, type WebhookDraft, WebhookFields } from '../../parts/webhooks/fields.tsx';
import { SecretDialog } from '../../parts/webhooks/secret-dialog.tsx';
import type { TabProps } from './filters.ts';
import classes from './settings.module.css';
import { detailWords } from './words.ts';

export default function SettingsTab({ webhook }: TabProps) {
  return (
    <Stack>
      <Change webhook={webhook} />
      <Secret webhook={webhook} />
      <Remove webhook={webhook} />
    </Stack>
  );
}

interface Draft extends WebhookDraft {
  readonly enabled: boolean;
}

function Change({ webhook }: { webhook: Webhook }) {
  const words = useWords(detailWords);
  const api = useApi();
  const can = useCan();
  const toast = useToast();
  const queryClient = useQueryClient();
  const [changed, setChanged] = useState<Partial<Draft>>({});
  const { busy, error, run } = useSubmission();
  const { url, events, enabled } = webhook;
  const draft = { url, events, enabled, description: webhook.description ?? '', ...changed };
  const isChanged = Object.keys(changed).length > 0;
  const guard = useLeaveGuard(() => isChanged && !busy);
  const save = () => {
    if (!isComplete(draft)) return;
    run(async () => {
      const description = draft.description.trim() === '' ? null : draft.description;
      const body = { url: draft.url.trim(), events: draft.events, enabled: draft.enabled, description };
      const saved = await api.call<Webhook>('PATCH', `/webhooks/${webhook.id}`, { body });
      queryClient.setQueryData(['webhooks', 'one', webhook.id], saved);
      setChanged({});
      toast(words.saved);
      void queryClient.invalidateQueries({ queryKey: ['webhooks'] });
    });
  };
  return (
    <Panel>
      <Form onSubmit={can.send === null ? save : () => {}} label={words.tabs.settings}>
        {error !== null && <Refusal error={error} />}
        <WebhookFields
          draft={draft}
          asked={isChanged}
          onChange={(change) => setChanged({ ...changed, ...change })}
        />
        <div>
          <CheckField
            label={words.on}
            checked={draft.enabled}
            onChange={(value) => setChanged({ ...changed, enabled: value })}
          />
          <p className={classes['hint']}>{words.onHint}</p>
        </div>
        <div>
          <Button kind="primary" type="submit" busy={busy} unavailable={can.send}>
            {words.save}
          </Button>
        </div>
      </Form>
      {guard.asks && (
        <Confirm
          title={words.unsavedTitle}
          action={words.leave}
          danger
          onConfirm={guard.leave}
          onClose={guard.stay}
        >
          <p>{words.unsaved}</p>
        </Confirm>
      )}
    </Panel>
  );
}

function Secret({ webhook }: { webhook: Webhook }) {
  const words = useWords(detailWords);
  const api = useApi();
  const can = useCan();
  const [asking, setAsking] = useState(false);
  const showOnce = useShowOnce();
  const rotate = useMutation({
    mutationFn: () => api.call<WebhookWithSecret>('POST', `/webhooks/${webhook.id}/rotate-secret`),
    onSuccess: ({ secret }) => {
      setAsking(false);
      void showOnce((done) => <SecretDialog secret={secret} onClose={done} />);
    },
  });
  return (
    <Panel title={words.secretSection}>
      <div className={classes['part']}>
        <p>{words.rotateText}</p>
        <Button unavailable={can.send} onClick={() => setAsking(true)}>
          {words.rotate}
        </Button>
      </div>
      {asking && (
        <Confirm
          title={words.rotateTitle}
          action={words.rotate}
          busy={rotate.isPending}
          onConfirm={() => rotate.mutate()}
          onClose={() => setAsking(false)}
        >
          <p>{words.rotateText}</p>
          {rotate.error !== null && <Refusal error={rotate.error} />}
        </Confirm>
      )}
    </Panel>
  );
}

function Remove({ webhook }: { webhook: Webhook }) {
  const words = useWords(detailWords);
  const api = useApi();
  const can = useCan();
  const go = useGo();
  const toast = useToast();
  const queryClient = useQueryClient();
  const [asking, setAsking] = useState(false);
  const remove = useMutation({
    mutationFn: () => api.call('DELETE', `/webhooks/${webhook.id}`),
    onSuccess: () => {
      toast(words.removed);
      go('/webhooks');
      void queryClient.invalidateQueries({ queryKey: ['webhooks', 'list'] });
    },
  });
  return (
    <Panel title={words.removeSection}>
      <div className={classes['part']}>
        <p>{words.removeText}</p>
        <Button kind="danger" unavailable={can.send} onClick={() => setAsking(true)}>
          {words.remove}
        </Button>
      </div>
      {asking && (
        <Confirm
          title={words.removeTitle}
          action={words.remove}
          danger
          busy={remove.isPending}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsking(false)}
        >
          <p className={classes['url']}>
            <Foreign text={webhook.url} />
          </p>
          <p>{words.removeText}</p>
          {remove.error !== null && <Refusal error={remove.error} />}
        </Confirm>
      )}
    </Panel>
  );
}
