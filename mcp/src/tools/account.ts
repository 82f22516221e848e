/** Facts to know before a message: the account, recipients, templates, domains, rates. */
import { z } from 'zod';
import { suppression } from '../guard/foresee.ts';
import { addressOf, mayReach } from '../guard/walls.ts';
import { fence, fenceOrNull, untrusted } from '../render/untrusted.ts';
import { callingAccount, isWalled, rightsOf } from '../session.ts';
import { READS, tool } from './tool.ts';

const usage = z.object({ used: z.number(), quota: z.number(), remaining: z.number() });
const PAGE_MAX = 50;
const RATES_MAX_DAYS = 90;
export const page = {
  limit: z.number().int().min(1).max(PAGE_MAX).optional(),
  cursor: z.string().max(500).optional().describe('next_cursor of the page before.'),
};

export const getAccount = tool({
  name: 'get_account',
  title: 'Account',
  description:
    'The account behind the key: what of its quota is left, prices, whether it is a sandbox, what this server ' +
    'allows. Call it first.',
  needs: 'nothing',
  hints: READS,
  input: z.strictObject({}),
  output: z.object({
    id: z.string(),
    name: untrusted,
    status: z.string(),
    sandbox: z.boolean().describe('true: no mail leaves the service; it is kept in a test mailbox.'),
    scopes: z.array(z.string()),
    month: z.string(),
    resets_at: z.string(),
    certified: usage,
    plain: usage,
    price_certified_cents: z.number(),
    price_plain_cents: z.number(),
    default_certified: z.boolean(),
    sending: z.object({
      allowed: z.boolean(),
      any_recipient: z.boolean(),
      confirmation: z.enum(['ask', 'preview']),
      per_hour: z.number(),
      cents_per_day: z.number(),
    }),
  }),
  async run(_args, { session, admit }) {
    const { account } = await callingAccount(session);
    const { config } = session;
    const rights = rightsOf(account, config);
    admit(rights);
    const { settings, usage: used } = account;
    const amount = ({ used: spent, quota, remaining }: typeof used.plain) => ({
      used: spent,
      quota,
      remaining,
    });
    return {
      output: {
        id: account.id,
        name: fence(account.name),
        status: account.status,
        sandbox: account.sandbox,
        scopes: [...(account.api_key?.scopes ?? [])],
        month: used.month,
        resets_at: used.resets_at,
        certified: amount(used.certified),
        plain: amount(used.plain),
        price_certified_cents: settings.price_per_message_cents,
        price_plain_cents: settings.price_per_plain_message_cents,
        default_certified: settings.default_certified,
        sending: {
          allowed: rights.send,
          any_recipient: isWalled(account, config) && (config.recipients?.everyone ?? true),
          confirmation: config.confirm,
          per_hour: config.perHour,
          cents_per_day: config.centsPerDay,
        },
      },
    };
  },
});

export const checkRecipient = tool({
  name: 'check_recipient',
  title: 'Check a recipient',
  description: 'Whether this server may write to an address, and whether the account suppresses it and why.',
  needs: 'read',
  hints: READS,
  input: z.strictObject({ address: z.string().max(254) }),
  output: z.object({
    address: z.string(),
    allowed: z.boolean(),
    suppressed: z.boolean(),
    suppression: z
      .object({
        source: z.string(),
        created_at: z.string(),
        message_id: z.string().nullable(),
        reason: untrusted,
      })
      .nullable(),
    next: z.string(),
  }),
  async run(args, { session }) {
    const address = addressOf(args.address, 'address');
    const [{ account }, entry] = await Promise.all([
      callingAccount(session),
      suppression(session.acuse, address.address),
    ]);
    const allowed = isWalled(account, session.config) && mayReach(session.config, address) !== null;
    return {
      output: {
        address: address.address,
        allowed,
        suppressed: entry !== null,
        suppression: entry && {
          source: entry.source,
          created_at: entry.created_at,
          message_id: entry.message_id,
          reason: fence(entry.reason),
        },
        next:
          entry !== null
            ? 'Do not write to it. Report the suppression; only a person can lift it.'
            : allowed
              ? 'You may preview a message to it.'
              : 'This server does not write to it; only the person who set it up can change that.',
      },
    };
  },
});

export const listTemplates = tool({
  name: 'list_templates',
  title: 'Templates',
  description: 'Templates of the account, with the ids that preview_message and send_message take.',
  needs: 'read',
  hints: READS,
  input: z.strictObject(page),
  output: z.object({
    templates: z.array(
      z.object({
        id: z.string(),
        version: z.number(),
        name: untrusted,
        subject: untrusted,
        locales: z.array(z.string()),
        updated_at: z.string(),
      }),
    ),
    next_cursor: z.string().nullable(),
  }),
  async run({ limit = 20, cursor }, { session }) {
    const { data, next_cursor } = await session.acuse.templates.list({ limit, after: cursor }).page();
    return {
      output: {
        templates: data.map(({ id, version, name, subject, variants, updated_at }) => ({
          id,
          version,
          name: fence(name),
          subject: fence(subject),
          locales: Object.keys(variants).filter((locale) => /^[A-Za-z0-9-]{2,35}$/.test(locale)),
          updated_at,
        })),
        next_cursor,
      },
    };
  },
});

export const renderTemplate = tool({
  name: 'render_template',
  title: 'Render a template',
  description:
    'What a template makes of variables, without sending anything; says which variable is missing.',
  needs: 'render',
  hints: READS,
  input: z.strictObject({
    template_id: z.string().max(64),
    variables: z.record(z.string(), z.unknown()).optional(),
    locale: z.string().max(35).optional(),
  }),
  output: z.object({
    template_id: z.string(),
    version: z.number(),
    subject: untrusted,
    text: untrusted.nullable(),
    html: untrusted.nullable(),
  }),
  async run({ template_id, variables, locale }, { session }) {
    const made = await session.acuse.templates.render(template_id, { variables, locale });
    return {
      output: {
        template_id: made.template_id,
        version: made.version,
        subject: fence(made.subject),
        text: fenceOrNull(made.text),
        html: fenceOrNull(made.html),
      },
    };
  },
});

export const getRates = tool({
  name: 'get_rates',
  title: 'Rates',
  description: 'Counts and rates of the last days: delivered, deferred, bounced, complained, sealed.',
  needs: 'read',
  hints: READS,
  input: z.strictObject({ days: z.number().int().min(1).max(RATES_MAX_DAYS).optional() }),
  output: z.object({
    days: z.number(),
    from: z.string(),
    to: z.string(),
    counters: z.record(z.string(), z.number()),
    rates: z
      .record(z.string(), z.number().nullable())
      .describe('Fractions from 0 to 1; null: nothing to divide by.'),
  }),
  async run({ days }, { session }) {
    const rates = await session.acuse.rates.get({ days });
    return {
      output: {
        days: rates.days,
        from: rates.from,
        to: rates.to,
        counters: { ...rates.counters },
        rates: { ...rates.rates },
      },
    };
  },
});

export const getDomainSetup = tool({
  name: 'get_domain_setup',
  title: 'Domain set-up',
  description: 'Sender domains and the DNS records that a person must publish before they can send.',
  needs: 'read',
  hints: READS,
  input: z.strictObject({ domain: z.string().max(253).optional(), ...page }),
  output: z.object({
    domains: z.array(
      z.object({
        name: z.string(),
        status: z.string(),
        readiness: z.string().optional(),
        records: z.array(
          z.object({
            purpose: z.string(),
            type: z.string(),
            name: z.string(),
            value: z.string(),
            required: z.boolean(),
            status: z.string(),
            found: z.array(untrusted),
          }),
        ),
        next: z.string(),
      }),
    ),
    next_cursor: z.string().nullable(),
  }),
  async run({ domain, limit = 20, cursor }, { session }) {
    const { data, next_cursor } = await session.acuse.domains.list({ limit, after: cursor }).page();
    return {
      output: {
        domains: data
          .filter(({ name }) => domain === undefined || name === domain.toLowerCase())
          .map(({ name, status, readiness, failing_records: failing = [], records }) => ({
            name,
            status,
            readiness,
            records: records.map(({ key_status: _state, found, ...record }) => ({
              ...record,
              found: found.map(fence),
            })),
            next:
              status === 'verified'
                ? failing.length === 0
                  ? 'It can send.'
                  : `It can send, but receivers cannot check its mail. Give a person these records: ${failing.join(', ')}.`
                : 'Give a person the required records whose status is not found; they publish them in DNS.',
          })),
        next_cursor,
      },
    };
  },
});
