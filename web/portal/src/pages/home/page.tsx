import { useQuery } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { Domain, Message, QuotaUsage, Webhook } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { Mailbox } from '../../../../shared/mail/mailbox.tsx';
import { OutcomeLine } from '../../../../shared/mail/outcome-line.tsx';
import { MessageStatusMark } from '../../../../shared/mail/status.tsx';
import { Link } from '../../../../shared/routing/link.tsx';
import { definePage } from '../../../../shared/routing/page.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Panel, Stack } from '../../../../shared/ui/layout.tsx';
import { Loaded, NotLoaded, Stale } from '../../../../shared/ui/loaded.tsx';
import { Meter } from '../../../../shared/ui/meter.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import { accountQuery, ratesQuery } from '../../parts/account-queries.ts';
import { onboardingQuery } from '../../parts/onboarding.ts';
import { SendTest } from '../../parts/send-test.tsx';
import { webhooksQuery } from '../../parts/webhooks/queries.ts';
import classes from './page.module.css';
import { attentionQuery, failingDomainsQuery } from './queries.ts';
import { Steps } from './steps.tsx';
import { homeWords } from './words.ts';

/** Seldom anything. */
const Failing = lazy(() => import('./failing.tsx'));

function HomePage() {
  const words = useWords(homeWords);
  const can = useCan();
  const [sending, setSending] = useState(false);
  const send = (
    <Button icon={Send} unavailable={can.send} onClick={() => setSending(true)}>
      {words.sendTest}
    </Button>
  );
  return (
    <>
      <PageHeading title={words.title} actions={send} />
      <Stack>
        <Steps onSend={() => setSending(true)} />
        <div className={classes['columns']}>
          <Today />
          <Quotas />
        </div>
        <Attention />
      </Stack>
      {sending && <SendTest onClose={() => setSending(false)} />}
    </>
  );
}

const COUNTERS = ['accepted', 'sent', 'deferred', 'bounced'] as const;

function Today() {
  const words = useWords(homeWords);
  const format = useFormat();
  const api = useApi();
  const rates = useQuery(ratesQuery(api, 1));
  return (
    <Panel title={words.today} actions={<Link to="/rates">{words.toRates}</Link>}>
      <Loaded query={rates} rows={2}>
        {({ counters }) => (
          <dl className={classes['counters']}>
            {COUNTERS.map((name) => (
              <div key={name}>
                <dt>{words[name]}</dt>
                <dd>{format.number(name === 'accepted' ? counters.ingested : counters[name])}</dd>
              </div>
            ))}
          </dl>
        )}
      </Loaded>
    </Panel>
  );
}

function Quotas() {
  const words = useWords(homeWords);
  const api = useApi();
  const account = useQuery(accountQuery(api));
  return (
    <Panel title={words.quotas} actions={<Link to="/usage">{words.toUsage}</Link>}>
      <Loaded query={account} rows={2}>
        {({ usage: { certified, plain } }) => (
          <div className={classes['quotas']}>
            <Quota name="certified" usage={certified} />
            <Quota name="plain" usage={plain} />
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

/** From this share on a quota is nearly used up. */
const NEARLY = 0.9;

function Quota({ name, usage: { used, quota } }: { name: 'certified' | 'plain'; usage: QuotaUsage }) {
  const words = useWords(homeWords);
  const format = useFormat();
  const text = words.of(format.number(used), format.number(quota));
  const share = quota === 0 ? 1 : Math.min(1, used / quota);
  return (
    <div>
      <div className={classes['quota']}>
        <span>{words.bags[name]}</span>
        <span className={classes['quiet']}>{text}</span>
      </div>
      <Meter label={words.bags[name]} text={text} share={share} high={NEARLY} />
    </div>
  );
}

function Attention() {
  const words = useWords(homeWords);
  const api = useApi();
  const messages = useQuery(attentionQuery(api));
  // Asked for behind the others, so that a first visit does not ask for everything at once.
  const enabled = messages.isFetched;
  const webhooks = useQuery({ ...webhooksQuery(api), enabled });
  const domains = useQuery({ ...failingDomainsQuery(api), enabled });
  const queries = [messages, webhooks, domains];
  return (
    <Panel title={words.attention} actions={<Link to="/messages?days=1">{words.toAll}</Link>}>
      {messages.data === undefined || webhooks.data === undefined || domains.data === undefined ? (
        <NotLoaded queries={queries} rows={3} />
      ) : (
        <>
          <Stale queries={queries} />
          <AttentionList
            messages={messages.data.data}
            webhooks={webhooks.data.data.filter(isFailing)}
            domains={domains.data.data}
          />
        </>
      )}
    </Panel>
  );
}

function isFailing({ failing_since: since, disabled_reason: reason }: Webhook): boolean {
  return since !== null || reason === 'failing';
}

interface AttentionListProps {
  readonly messages: readonly Message[];
  readonly webhooks: readonly Webhook[];
  readonly domains: readonly Domain[];
}

/** Lasting problems come before the messages of a day. */
function AttentionList({ messages, webhooks, domains }: AttentionListProps) {
  const words = useWords(homeWords);
  if (messages.length + webhooks.length + domains.length === 0)
    return <p className={classes['quiet']}>{words.attentionNone}</p>;
  return (
    <ul className={classes['attention']}>
      {domains.length + webhooks.length > 0 && (
        <Suspense>
          <Failing domains={domains} webhooks={webhooks} />
        </Suspense>
      )}
      {messages.map((message) => (
        <AttentionRow key={message.id} message={message} />
      ))}
    </ul>
  );
}

function AttentionRow({ message }: { message: Message }) {
  const words = useWords(homeWords);
  const { id, status, subject, to, last_reply: reply, created_at: at } = message;
  return (
    <li>
      <MessageStatusMark status={status} />
      <div>
        <Link to={`/messages/${id}/timeline`}>
          <Foreign text={subject} none={words.noSubject} />
        </Link>
        <div className={classes['quiet']}>
          <Mailbox text={to} />
        </div>
        {reply === null && <div className={classes['quiet']}>{words.noReply}</div>}
        <OutcomeLine message={message} className={classes['reply']} />
      </div>
      <Time iso={at} form="short" />
    </li>
  );
}

export const page = definePage({
  path: '/',
  search: {},
  title: (language) => homeWords[language].title,
  queries: (api) => [onboardingQuery(api), ratesQuery(api, 1), accountQuery(api), attentionQuery(api)],
  Page: HomePage,
});
