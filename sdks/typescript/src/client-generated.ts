// Generated from contract/openapi.json by sdks/generate/typescript.mjs: do not edit.

import type { Calls } from './calls.ts';
import { Evidences } from './evidences.ts';
import { Log } from './log.ts';
import { Messages } from './messages.ts';
import {
  AccountOperations,
  ApiKeysOperations,
  DomainsOperations,
  EventsOperations,
  HealthOperations,
  RatesOperations,
  SendersOperations,
  SharesOperations,
  SuppressionsOperations,
  TemplatesOperations,
  WebhooksOperations,
} from './operations-generated.ts';

/** The resources of a client. */
export class Resources {
  readonly messages: Messages;
  readonly evidence: Evidences;
  readonly shares: SharesOperations;
  readonly templates: TemplatesOperations;
  readonly domains: DomainsOperations;
  readonly senders: SendersOperations;
  readonly suppressions: SuppressionsOperations;
  readonly webhooks: WebhooksOperations;
  readonly events: EventsOperations;
  readonly rates: RatesOperations;
  readonly account: AccountOperations;
  readonly apiKeys: ApiKeysOperations;
  readonly log: Log;
  readonly health: HealthOperations;

  constructor(calls: Calls) {
    this.messages = new Messages(calls);
    this.evidence = new Evidences(calls);
    this.shares = new SharesOperations(calls);
    this.templates = new TemplatesOperations(calls);
    this.domains = new DomainsOperations(calls);
    this.senders = new SendersOperations(calls);
    this.suppressions = new SuppressionsOperations(calls);
    this.webhooks = new WebhooksOperations(calls);
    this.events = new EventsOperations(calls);
    this.rates = new RatesOperations(calls);
    this.account = new AccountOperations(calls);
    this.apiKeys = new ApiKeysOperations(calls);
    this.log = new Log(calls);
    this.health = new HealthOperations(calls);
  }
}
