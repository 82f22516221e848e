import { ClipboardCopy, Mail } from 'lucide-react';
import type { Domain, DomainRecord } from '../../../../shared/api/portal-types.ts';
import { useFormat } from '../../../../shared/format/format.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { CopyButton } from '../../../../shared/ui/copy.tsx';
import { SelectField } from '../../../../shared/ui/field.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { Section } from '../../../../shared/ui/section.tsx';
import { Status, type Tone } from '../../../../shared/ui/status.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { diagnose, sameUntil } from './diagnose.ts';
import classes from './page.module.css';
import { domainPageWords } from './words.ts';
import { likelyZone, NAMINGS, type Naming, shownName, zoneFile } from './zone.ts';

const ICON_PX = 16;

interface RecordsProps {
  readonly domain: Domain;
  readonly naming: Naming;
  readonly onNaming: (naming: Naming) => void;
}

export default function Records({ domain, naming, onNaming }: RecordsProps) {
  const words = useWords(domainPageWords);
  const zone = likelyZone(domain.name);
  const zones = { zone, domain: domain.name, full: null } as const;
  const choices = NAMINGS.filter((each) => each !== 'domain' || zone !== domain.name).map((value) => {
    const without = zones[value];
    return { value, label: without === null ? words.namingFull : words.naming(without) };
  });
  return (
    <Section title={words.records} actions={<HandOn domain={domain} />}>
      <div className={classes['naming']}>
        <SelectField
          label={words.names}
          hint={words.namesHint}
          value={choices.some(({ value }) => value === naming) ? naming : 'zone'}
          choices={choices}
          onChange={onNaming}
        />
      </div>
      <ul className={classes['records']}>
        {domain.records.map((record) => (
          <RecordRow
            key={`${record.type} ${record.name} ${record.value}`}
            record={record}
            name={shownName(record.name, zones[naming])}
            zone={zone}
          />
        ))}
      </ul>
    </Section>
  );
}

/** For whoever has the keys to the DNS. */
function HandOn({ domain }: { domain: Domain }) {
  const words = useWords(domainPageWords);
  const toast = useToast();
  const file = zoneFile(domain);
  async function copy() {
    await navigator.clipboard.writeText(file);
    toast(words.zoneCopied);
  }
  const subject = encodeURIComponent(words.mailSubject(domain.name));
  const body = encodeURIComponent(`${words.mailText(domain.name)}\n\n${file}`);
  return (
    <div className={classes['handOn']}>
      <Button icon={ClipboardCopy} onClick={() => void copy()}>
        {words.copyZone}
      </Button>
      <a className={classes['mail']} href={`mailto:?subject=${subject}&body=${body}`}>
        <Mail size={ICON_PX} aria-hidden="true" />
        {words.sendOn}
      </a>
    </div>
  );
}

const TONES = {
  unchecked: 'neutral',
  found: 'sent',
  missing: 'failed',
  mismatch: 'failed',
  error: 'waiting',
} as const satisfies Readonly<Record<DomainRecord['status'], Tone>>;

interface RecordProps {
  readonly record: DomainRecord;
  readonly name: string;
  readonly zone: string;
}

function RecordRow({ record, name, zone }: RecordProps) {
  const words = useWords(domainPageWords);
  const { purpose, type, value, status, required, key_status: keyStatus } = record;
  const title = [words.purposes[purpose], purpose === 'dkim' ? algorithmOf(value) : ''].join(' ').trim();
  // A missing optional record is waiting; a required one fails.
  const tone = status === 'missing' && !required ? 'waiting' : TONES[status];
  return (
    <li className={classes['record']}>
      <div className={classes['what']}>
        <h3>{title}</h3>
        <Status tone={tone}>{words.statuses[status]}</Status>
        <p>
          <strong>{required ? words.required : words.advised}</strong>
          {'. '}
          {keyStatus === null ? words.purposeTexts[purpose] : `${words.keys[keyStatus]}.`}
        </p>
      </div>
      <div className={classes['data']}>
        <dl>
          <div>
            <dt>{words.type}</dt>
            <dd>
              <code>{type}</code>
            </dd>
          </div>
          <div>
            <dt>{words.name}</dt>
            <dd>
              <code className={classes['whole']}>
                <Foreign text={name} breaks />
              </code>
              <CopyButton text={name} what={words.nameOf(title)} />
            </dd>
          </div>
          <div>
            <dt>{words.value}</dt>
            <dd>
              <code className={classes['cut']} title={value}>
                {value}
              </code>
              <CopyButton text={value} what={words.valueOf(title)} />
            </dd>
          </div>
        </dl>
        <Finding record={record} zone={zone} />
      </div>
    </li>
  );
}

/** Two keys are published: one that every receiver knows, and a short one. */
function algorithmOf(value: string): string {
  return value.includes('k=ed25519') ? 'Ed25519' : 'RSA';
}

function Finding({ record, zone }: { record: DomainRecord; zone: string }) {
  const words = useWords(domainPageWords);
  const text = useDiagnosis(record, zone);
  const { status, value, found } = record;
  return (
    <>
      {text !== null && <p className={classes['finding']}>{text}</p>}
      {(status === 'mismatch' || status === 'found') && (
        <details className={classes['compare']}>
          <summary>{words.compare}</summary>
          <dl>
            <dt>{words.expected}</dt>
            <dd>
              <code>{value}</code>
            </dd>
            <dt>{words.found}</dt>
            {found.map((each, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the same value may stand there twice
              <dd key={index}>
                {status === 'found' ? <code>{each}</code> : <Marked text={each} expected={value} />}
              </dd>
            ))}
            {found.length === 0 && <dd>{words.nothingFound}</dd>}
          </dl>
        </details>
      )}
    </>
  );
}

/** From the first difference on. */
function Marked({ text, expected }: { text: string; expected: string }) {
  const same = sameUntil(text, expected);
  return (
    <code>
      {text.slice(0, same)}
      {same < text.length && <mark>{text.slice(same)}</mark>}
    </code>
  );
}

function useDiagnosis(record: DomainRecord, zone: string): string | null {
  const { diagnoses } = useWords(domainPageWords);
  const format = useFormat();
  const diagnosis = diagnose(record);
  switch (diagnosis.kind) {
    case 'none':
      return null;
    case 'missing':
      return diagnoses.missing(`${zone}.${zone}`);
    case 'unanswered':
      return diagnoses.unanswered(diagnosis.detail);
    case 'cut':
      return diagnoses.cut(format.number(diagnosis.chars));
    default:
      return diagnoses[diagnosis.kind];
  }
}
