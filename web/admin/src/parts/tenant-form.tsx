import type { Tenant } from '../../../shared/api/admin-types.ts';
import { SelectField, TextField } from '../../../shared/ui/field.tsx';
import { useWords } from '../../../shared/words/use-words.ts';
import { useCurrency } from './currency.ts';
import classes from './tenant-form.module.css';
import { tenantWords } from './tenant-words.ts';

export type Settings = Pick<
  Tenant,
  | 'name'
  | 'default_certified'
  | 'quota_messages_month'
  | 'quota_plain_messages_month'
  | 'price_per_message_cents'
  | 'price_per_plain_message_cents'
  | 'require_ready_domains'
  | 'plain_record_days'
>;

/** The same as it is typed. */
export interface Draft {
  readonly name: string;
  readonly default_certified: 'yes' | 'no';
  readonly quota_messages_month: string;
  readonly quota_plain_messages_month: string;
  readonly price_per_message_cents: string;
  readonly price_per_plain_message_cents: string;
  readonly require_ready_domains: 'yes' | 'no';
  /** Empty: as the installation. */
  readonly plain_record_days: string;
}

const QUOTAS = ['quota_messages_month', 'quota_plain_messages_month'] as const;
const PRICES = ['price_per_message_cents', 'price_per_plain_message_cents'] as const;
/** The largest amount that the server takes, in hundredths. */
const PRICE_MAX_CENTS = 2_147_483_647;
/** A hundred years, as the server takes at most. */
const RECORD_DAYS_MAX = 36_500;

export function draftOf(settings: Settings): Draft {
  return {
    name: settings.name,
    default_certified: settings.default_certified ? 'yes' : 'no',
    quota_messages_month: String(settings.quota_messages_month),
    quota_plain_messages_month: String(settings.quota_plain_messages_month),
    price_per_message_cents: amountText(settings.price_per_message_cents),
    price_per_plain_message_cents: amountText(settings.price_per_plain_message_cents),
    require_ready_domains: settings.require_ready_domains === true ? 'yes' : 'no',
    plain_record_days: String(settings.plain_record_days ?? ''),
  };
}

/** Undefined where what was typed is no value. */
export type Read = { readonly [K in keyof Settings]-?: Settings[K] | undefined };

export function readDraft(draft: Draft): Read {
  return {
    name: draft.name.trim() === '' ? undefined : draft.name.trim(),
    default_certified: draft.default_certified === 'yes',
    quota_messages_month: readWhole(draft.quota_messages_month),
    quota_plain_messages_month: readWhole(draft.quota_plain_messages_month),
    price_per_message_cents: readAmount(draft.price_per_message_cents),
    price_per_plain_message_cents: readAmount(draft.price_per_plain_message_cents),
    require_ready_domains: draft.require_ready_domains === 'yes',
    plain_record_days: draft.plain_record_days.trim() === '' ? null : readDays(draft.plain_record_days),
  };
}

/** Null when a field holds no value. */
export function complete(read: Read): Settings | null {
  return Object.values(read).includes(undefined) ? null : (read as Settings);
}

/** Thousands may be set apart by commas or spaces. */
function readWhole(text: string): number | undefined {
  const digits = text.trim().replace(/(?<=\d)[,\s](?=\d{3}(?!\d))/g, '');
  return /^\d{1,15}$/.test(digits) ? Number(digits) : undefined;
}

function readDays(text: string): number | undefined {
  const days = readWhole(text);
  return days !== undefined && days >= 1 && days <= RECORD_DAYS_MAX ? days : undefined;
}

function readAmount(text: string): number | undefined {
  const [, whole, cents = ''] = /^(\d{1,8})(?:\.(\d{1,2}))?$/.exec(text.trim()) ?? [];
  if (whole === undefined) return undefined;
  const value = Number(whole) * 100 + Number(cents.padEnd(2, '0'));
  return value <= PRICE_MAX_CENTS ? value : undefined;
}

function amountText(cents: number): string {
  return (cents / 100).toFixed(2);
}

interface FieldsProps {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  /** It was sent: what is missing is said. */
  readonly asked: boolean;
}

export function TenantFields({ draft, onChange, asked }: FieldsProps) {
  const words = useWords(tenantWords);
  const currency = useCurrency();
  const read = readDraft(draft);
  const set = (name: keyof Draft) => (value: string) => onChange({ ...draft, [name]: value });
  const errorOf = (name: keyof Draft, text: string) => (asked && read[name] === undefined ? text : null);
  return (
    <>
      <TextField
        label={words.fields.name}
        value={draft.name}
        onChange={set('name')}
        error={errorOf('name', words.needsName)}
        autoComplete="off"
      />
      <SelectField
        label={words.fields.default_certified}
        value={draft.default_certified}
        choices={[
          { value: 'yes', label: words.certified },
          { value: 'no', label: words.plain },
        ]}
        onChange={set('default_certified')}
      />
      <SelectField
        label={words.fields.require_ready_domains}
        value={draft.require_ready_domains}
        choices={[
          { value: 'no', label: words.anyVerified },
          { value: 'yes', label: words.onlyReady },
        ]}
        onChange={set('require_ready_domains')}
      />
      <TextField
        label={words.fields.plain_record_days}
        hint={words.recordDaysHint}
        value={draft.plain_record_days}
        onChange={set('plain_record_days')}
        inputMode="numeric"
        error={errorOf('plain_record_days', words.needsDays)}
        autoComplete="off"
      />
      <div className={classes['pair']}>
        {QUOTAS.map((name) => (
          <TextField
            key={name}
            label={words.fields[name]}
            value={draft[name]}
            onChange={set(name)}
            inputMode="numeric"
            error={errorOf(name, words.needsQuota)}
            autoComplete="off"
          />
        ))}
        {PRICES.map((name) => (
          <TextField
            key={name}
            label={words.fields[name]}
            value={draft[name]}
            onChange={set(name)}
            error={errorOf(name, words.needsPrice)}
            autoComplete="off"
          />
        ))}
        <p className={classes['units']}>{words.units(currency)}</p>
      </div>
    </>
  );
}
