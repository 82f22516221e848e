import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ChevronRight, RotateCw } from 'lucide-react';
import { useState } from 'react';
import type { Webhook, WebhookAttempt, WebhookDeliveryDetail } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { Fault } from '../../../../shared/mail/fault.tsx';
import { Link } from '../../../../shared/routing/link.tsx';
import { Button } from '../../../../shared/ui/button.tsx';
import { Hash } from '../../../../shared/ui/hash.tsx';
import { CodeBlock, Facts, Panel, Stack } from '../../../../shared/ui/layout.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Refusal } from '../../../../shared/ui/refusal.tsx';
import { Status } from '../../../../shared/ui/status.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { useAdvice } from '../../../../shared/webhooks/answer.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import classes from './delivery.module.css';
import { AnswerText, headerText } from './exchange.tsx';
import { deliveryQuery } from './queries.ts';
import { SecretField, useSignatures } from './secret-field.tsx';
import { toneOf } from './tone.ts';
import { detailWords } from './words.ts';

/** One delivery: each attempt with what was sent and what came back. */
export default function OneDelivery({ webhook, id }: { webhook: Webhook; id: string }) {
  const words = useWords(detailWords);
  const api = useApi();
  return (
    <Stack>
      <Link to={`/webhooks/${webhook.id}/deliveries`}>{`← ${words.back}`}</Link>
      <Loaded query={useQuery(deliveryQuery(api, webhook.id, id))} rows={6}>
        {(delivery) => <DeliveryParts webhook={webhook} delivery={delivery} />}
      </Loaded>
    </Stack>
  );
}

interface PartsProps {
  readonly webhook: Webhook;
  readonly delivery: WebhookDeliveryDetail;
}

function DeliveryParts({ webhook, delivery }: PartsProps) {
  const words = useWords(detailWords);
  const format = useFormat();
  const [secret, setSecret] = useState('');
  const told = useAdvice()(delivery);
  const { status, event_id: eventId, message_id: messageId, next_attempt_at: next } = delivery;
  const attempts = delivery.attempt_log.toReversed();
  return (
    <Stack>
      <Panel
        title={<code>{delivery.type}</code>}
        actions={<ReplayOne webhook={webhook} delivery={delivery} />}
      >
        <Facts
          facts={[
            {
              name: words.status,
              value: <Status tone={toneOf(status)}>{words.statuses[status]}</Status>,
            },
            ...(status === 'delivered' || told === null ? [] : [{ name: words.helps, value: told }]),
            ...(next === null ? [] : [{ name: words.next, value: format.relative(next) }]),
            { name: words.created, value: <Time iso={delivery.created_at} /> },
            { name: words.event, value: <Hash value={eventId} what={words.event} /> },
            {
              name: words.message,
              value: <Link to={`/messages/${messageId}/timeline`}>{words.toMessage}</Link>,
            },
          ]}
        />
      </Panel>
      {attempts.length === 0 && <p className={classes['quiet']}>{words.attemptsNone}</p>}
      <ol className={classes['attempts']}>
        {attempts.map((attempt, index) => (
          <li key={attempt.attempt}>
            <Attempt attempt={attempt} body={delivery.body} secret={secret} isOpen={index === 0} />
          </li>
        ))}
      </ol>
      <Panel title={words.bodyAndSignature}>
        <Stack>
          <CodeBlock label={words.body} text={delivery.body} wrap />
          <div className={classes['secret']}>
            <SecretField value={secret} onChange={setSecret} hint={words.signatureHint} />
          </div>
        </Stack>
      </Panel>
    </Stack>
  );
}

interface AttemptProps {
  readonly attempt: WebhookAttempt;
  readonly body: string;
  readonly secret: string;
  readonly isOpen: boolean;
}

function Attempt({ attempt, body, secret, isOpen }: AttemptProps) {
  const words = useWords(detailWords);
  const format = useFormat();
  const { status_code: code, error, request_headers: headers } = attempt;
  const made = useSignatures(secret, body, headers);
  const sent = {
    ...headers,
    ...(made !== null && { 'Service-Signature': made.service, 'webhook-signature': made.standard }),
  };
  const isOk = error === null;
  return (
    <details className={classes['attempt']} open={isOpen}>
      <summary>
        <ChevronRight size={16} aria-hidden="true" />
        <b>{words.attempt(attempt.attempt)}</b>
        <Status tone={isOk ? 'sent' : 'failed'}>
          {code === null ? <Fault text={error ?? ''} /> : <code>{code}</code>}
        </Status>
        <span>{format.duration(attempt.duration_ms)}</span>
        <span className={classes['at']}>{format.dateTime(attempt.started_at)}</span>
      </summary>
      <div className={classes['exchange']}>
        <CodeBlock label={words.requestHeaders} text={headerText(sent)} wrap />
        <AnswerText headers={attempt.response_headers} excerpt={attempt.response_excerpt} error={error} />
      </div>
    </details>
  );
}

function ReplayOne({ webhook, delivery }: PartsProps) {
  const words = useWords(detailWords);
  const api = useApi();
  const can = useCan();
  const toast = useToast();
  const queryClient = useQueryClient();
  const replay = useMutation({
    mutationFn: () => api.call('POST', `/webhooks/${webhook.id}/deliveries/${delivery.id}/replay`),
    onSuccess: () => toast(words.replayed),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['webhooks'] }),
  });
  return (
    <>
      <Button
        icon={RotateCw}
        unavailable={can.send ?? (webhook.enabled ? null : words.isOff)}
        busy={replay.isPending}
        onClick={() => replay.mutate()}
      >
        {words.replay}
      </Button>
      {replay.error !== null && <Refusal error={replay.error} />}
    </>
  );
}
