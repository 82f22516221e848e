import type { Domain, Webhook } from '../../../../shared/api/portal-types.ts';
import { Link } from '../../../../shared/routing/link.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { useStateReason, WebhookState } from '../../../../shared/webhooks/state.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { DomainStatusMark } from '../../parts/domain-status.tsx';
import classes from './page.module.css';
import { homeWords } from './words.ts';

interface Props {
  readonly domains: readonly Domain[];
  readonly webhooks: readonly Webhook[];
}

/** Items of the list of what needs attention. */
export default function Failing({ domains, webhooks }: Props) {
  const words = useWords(homeWords);
  const reasonOf = useStateReason();
  return (
    <>
      {domains.map((domain) => (
        <li key={domain.id}>
          <DomainStatusMark domain={domain} />
          <div>
            <Link to={`/domains/${domain.id}`}>
              <Foreign text={domain.name} />
            </Link>
            <div className={classes['quiet']}>{words.domainFails}</div>
          </div>
        </li>
      ))}
      {webhooks.map((webhook) => (
        <li key={webhook.id}>
          <WebhookState webhook={webhook} />
          <div>
            <Link to={`/webhooks/${webhook.id}/deliveries`}>
              <Foreign text={webhook.url} />
            </Link>
            <div className={classes['quiet']}>{reasonOf(webhook)}</div>
          </div>
        </li>
      ))}
    </>
  );
}
