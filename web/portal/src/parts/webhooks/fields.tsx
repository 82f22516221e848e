import type { EventType, Subscription } from '../../../../shared/api/portal-types.ts';
import { CheckField, TextField } from '../../../../shared/ui/field.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import classes from './fields.module.css';
import { webhookWords } from './words.ts';

/** In the order of a message's life. */
export const EVENTS = [
  'email.queued',
  'email.sent',
  'email.deferred',
  'email.bounced',
  'email.complained',
  'email.sealed',
  'acknowledgement.given',
  'acknowledgement.refused',
  'acknowledgement.expired',
] as const satisfies readonly EventType[];

/** Not among all events: an endpoint names them. */
const isNamed = (event: Subscription) => event.startsWith('acknowledgement.');

const EXAMPLE_URL = 'https://erp.example.com/hooks';

/** Input fields of an endpoint. */
export interface WebhookDraft {
  readonly url: string;
  readonly description: string;
  readonly events: readonly Subscription[];
}

export function isComplete({ url, events }: WebhookDraft): boolean {
  return url.trim() !== '' && events.length > 0;
}

interface FieldsProps {
  readonly draft: WebhookDraft;
  readonly onChange: (change: Partial<WebhookDraft>) => void;
  /** It was sent once: what lacks is said. */
  readonly asked: boolean;
}

export function WebhookFields({ draft: { url, description, events }, onChange, asked }: FieldsProps) {
  const words = useWords(webhookWords);
  const isAll = events.includes('*');
  return (
    <>
      <TextField
        label={words.url}
        hint={words.urlHint}
        type="url"
        inputMode="url"
        placeholder={EXAMPLE_URL}
        mono
        value={url}
        onChange={(value) => onChange({ url: value })}
        error={asked && url.trim() === '' ? words.needsUrl : null}
      />
      <TextField
        label={words.description}
        hint={words.descriptionHint}
        value={description}
        onChange={(value) => onChange({ description: value })}
      />
      <fieldset className={classes['group']}>
        <legend>{words.events}</legend>
        <CheckField
          label={words.allEvents}
          checked={isAll}
          onChange={(checked) => onChange({ events: checked ? ['*', ...events.filter(isNamed)] : [] })}
        />
        {EVENTS.filter((event) => !isAll || isNamed(event)).map((event) => (
          <CheckField
            key={event}
            label={
              <>
                <code>{event}</code> <span className={classes['text']}>{words.eventTexts[event]}</span>
              </>
            }
            checked={events.includes(event)}
            onChange={(checked) =>
              onChange({ events: checked ? [...events, event] : events.filter((each) => each !== event) })
            }
          />
        ))}
        {asked && events.length === 0 && (
          <p className={classes['error']} role="alert">
            {words.needsEvent}
          </p>
        )}
      </fieldset>
    </>
  );
}
