import { useMutation } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import { useState } from 'react';
import type { WebhookPing } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { Fault } from '../../../../shared/mail/fault.tsx';
import { Button } from '../../../../shared/ui/button.tsx';
import { CodeBlock, Panel, Stack } from '../../../../shared/ui/layout.tsx';
import { Notice } from '../../../../shared/ui/notice.tsx';
import { Refusal } from '../../../../shared/ui/refusal.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import { AnswerText, headerText } from './exchange.tsx';
import type { TabProps } from './filters.ts';
import { SecretField, useSignatures } from './secret-field.tsx';
import classes from './test.module.css';
import { detailWords } from './words.ts';

/** Sends a synthetic event now, and shows the request and the result. */
export default function TestTab({ webhook }: TabProps) {
  const words = useWords(detailWords);
  const api = useApi();
  const can = useCan();
  const ping = useMutation({
    mutationFn: () => api.call<WebhookPing>('POST', `/webhooks/${webhook.id}/ping`),
  });
  return (
    <Stack>
      <p className={classes['lead']}>{words.testLead}</p>
      <div>
        <Button
          kind={ping.data === undefined ? 'primary' : 'plain'}
          icon={Send}
          unavailable={can.send}
          busy={ping.isPending}
          onClick={() => ping.mutate()}
        >
          {ping.data === undefined ? words.send : words.sendAgain}
        </Button>
      </div>
      {ping.error !== null && <Refusal error={ping.error} />}
      {ping.data !== undefined && <Result ping={ping.data} />}
    </Stack>
  );
}

function Result({ ping }: { ping: WebhookPing }) {
  const words = useWords(detailWords);
  const format = useFormat();
  const took = format.duration(ping.duration_ms);
  const { delivered, status_code: code, error, request } = ping;
  return (
    <Stack>
      <Notice tone={delivered ? 'sent' : 'failed'} live>
        {code === null ? words.notOk(took) : (delivered ? words.ok : words.refused)(code, took)}{' '}
        {code === null && error !== null && <Fault text={error} />}
      </Notice>
      <div className={classes['exchange']}>
        <Panel title={words.request}>
          <Stack>
            <CodeBlock label={words.requestHeaders} text={headerText(request.headers)} wrap />
            <CodeBlock label={words.body} text={request.body} wrap />
          </Stack>
        </Panel>
        <Panel title={words.response}>
          <AnswerText headers={ping.response_headers} excerpt={ping.response_excerpt} error={error} />
        </Panel>
      </div>
      <Panel title={words.signature}>
        <SignatureCheck request={request} />
      </Panel>
    </Stack>
  );
}

function SignatureCheck({ request: { headers, body } }: { request: WebhookPing['request'] }) {
  const words = useWords(detailWords);
  const [secret, setSecret] = useState('');
  const made = useSignatures(secret, body, headers);
  const matches = made?.service === headers['Service-Signature'];
  return (
    <div className={classes['secret']}>
      <SecretField value={secret} onChange={setSecret} hint={words.signatureTest} />
      {made !== null && (
        <Notice tone={matches ? 'sent' : 'failed'} live>
          {matches ? words.matches : words.mismatch}
        </Notice>
      )}
    </div>
  );
}
