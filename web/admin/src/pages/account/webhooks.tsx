import { useInfiniteQuery } from '@tanstack/react-query';
import type { TenantWebhook } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { Link } from '../../../../shared/routing/link.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { AnswerInWords, useAdvice } from '../../../../shared/webhooks/answer.tsx';
import { useStateReason, WebhookState } from '../../../../shared/webhooks/state.tsx';
import { webhookStateWords } from '../../../../shared/webhooks/words.ts';
import { useWords } from '../../../../shared/words/use-words.ts';
import { Listed } from '../../parts/listed.tsx';
import classes from './page.module.css';
import { webhooksQuery } from './queries.ts';
import type { TabProps } from './tab.ts';
import { accountWebhooksWords } from './webhooks-words.ts';

/** Which of the account's webhooks fail and why; only its own people change them. */
export default function WebhooksTab({ tenant: { id } }: TabProps) {
  const words = useWords(accountWebhooksWords);
  const list = useInfiniteQuery(webhooksQuery(useApi(), id));
  const columns = useColumns();
  return (
    <Listed list={list} rows={4} empty={<Empty title={words.noneTitle}>{words.none}</Empty>}>
      {(webhooks) => (
        <>
          <div className={classes['above']}>
            <p>
              {words.lead} <Link to={`/tenants/${id}/people`}>{words.toPeople}</Link>
            </p>
          </div>
          <Table
            unfolds
            label={words.webhooks}
            columns={columns}
            rows={[...webhooks].sort((a, b) => Number(isWell(a)) - Number(isWell(b)))}
            rowKey={({ id: key }) => key}
          />
        </>
      )}
    </Listed>
  );
}

function isWell({ failing_since: since, disabled_reason: reason }: TenantWebhook): boolean {
  return since === null && (reason === null || reason === 'manual');
}

function useColumns(): readonly Column<TenantWebhook>[] {
  const words = useWords(accountWebhooksWords);
  const { advice } = useWords(webhookStateWords);
  const reasonOf = useStateReason();
  const adviceOn = useAdvice();
  return [
    {
      id: 'endpoint',
      phone: 'lead',
      head: words.endpoint,
      cell: ({ host, description }) => (
        <div className={`${classes['person']} ${classes['said']}`}>
          <strong>
            <Foreign text={host} />
          </strong>
          {description !== null && (
            <span className={classes['quiet']}>
              <Foreign text={description} />
            </span>
          )}
        </div>
      ),
    },
    {
      id: 'state',
      phone: 'mark',
      head: words.state,
      cell: (webhook) => <WebhookState webhook={webhook} />,
    },
    {
      id: 'answer',
      phone: 'foot',
      head: words.answer,
      cell: ({ last_attempt_at: at, ...webhook }) => (
        <div className={classes['said']}>
          <AnswerInWords {...webhook} />
          {at !== null && (
            <div className={classes['quiet']}>
              <Time iso={at} form="relative" />
            </div>
          )}
        </div>
      ),
    },
    {
      id: 'helps',
      head: words.helps,
      main: true,
      cell: (webhook) => {
        const told = isWell(webhook) ? null : adviceOn(webhook);
        const isOff = webhook.disabled_reason === 'failing';
        return (
          <div className={classes['what']}>
            {[told, isOff && advice.off].filter(Boolean).join(' ') || words.nothing}
            {reasonOf(webhook) !== null && <div className={classes['quiet']}>{reasonOf(webhook)}</div>}
          </div>
        );
      },
    },
  ];
}
