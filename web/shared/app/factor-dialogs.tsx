import { Download } from 'lucide-react';
import { useState } from 'react';
import type { RecoveryCodes, TotpSecret } from '../api/portal-types.ts';
import { download } from '../format/download.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { Refusal, useSubmission } from '../ui/refusal.tsx';
import { useToast } from '../ui/toast.tsx';
import { uiWords } from '../ui/words.ts';
import { useWords } from '../words/use-words.ts';
import { useApi } from './api-context.tsx';
import classes from './factor-dialogs.module.css';
import { factorWords } from './factor-words.ts';
import { useShowOnce } from './once.tsx';

interface FactorDialogsProps {
  readonly path: string;
  readonly secret: TotpSecret;
  /** Nothing more is asked. */
  readonly onClose: () => void;
  /** The second factor is on, and its recovery codes are kept. */
  readonly onDone: () => void;
}

/** As the server takes it: six digits, spaces between them as apps show them. */
const CODE = /^\d{6}$/;

/** The secret and a first code of it; then the recovery codes, once. */
export default function FactorDialogs({ path, secret, onClose, onDone }: FactorDialogsProps) {
  const words = useWords(factorWords);
  const ui = useWords(uiWords);
  const api = useApi();
  const toast = useToast();
  const showOnce = useShowOnce();
  const [code, setCode] = useState('');
  const [asked, setAsked] = useState(false);
  const { busy, error, run } = useSubmission();
  const digits = code.replace(/\s/g, '');
  const submit = () => {
    setAsked(true);
    if (!CODE.test(digits)) return;
    run(async () => {
      const { recovery_codes: codes } = await api.call<RecoveryCodes>('PUT', path, {
        body: { code: digits },
        proves: true,
      });
      onClose();
      toast(words.turnedOn);
      await showOnce((done) => <KeepCodes codes={codes} onDone={done} />);
      onDone();
    });
  };
  const foot = (
    <>
      <Button onClick={onClose}>{ui.cancel}</Button>
      <Button kind="primary" type="submit" busy={busy}>
        {words.turnOn}
      </Button>
    </>
  );
  return (
    <Dialog title={words.scanTitle} foot={foot} onSubmit={submit} onClose={onClose}>
      <p>{words.scan}</p>
      <img
        className={classes['picture']}
        src={`data:image/svg+xml,${encodeURIComponent(secret.qr_svg)}`}
        alt={words.picture}
      />
      <div className={classes['secret']}>
        <span>{words.secret}</span>
        <code>{inGroups(secret.secret)}</code>
        <CopyButton text={secret.secret} what={words.secret} />
      </div>
      {error !== null && <Refusal error={error} unauthorized={words.wrongCode} />}
      <TextField
        label={words.code}
        inputMode="numeric"
        autoComplete="one-time-code"
        mono
        value={code}
        onChange={setCode}
        error={asked && !CODE.test(digits) ? words.needsCode : null}
      />
    </Dialog>
  );
}

const GROUP_CHARS = 4;

function inGroups(secret: string): string {
  return secret.match(new RegExp(`.{1,${GROUP_CHARS}}`, 'g'))!.join(' ');
}

/** Recovery codes, once. */
export function KeepCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const words = useWords(factorWords);
  const save = () => {
    const lines = [words.fileHead, '', ...codes, ''];
    download('acuse-recovery-codes.txt', new Blob([lines.join('\r\n')], { type: 'text/plain' }));
  };
  const foot = (
    <>
      <Button icon={Download} onClick={save}>
        {words.save}
      </Button>
      <Button kind="primary" onClick={onDone}>
        {words.done}
      </Button>
    </>
  );
  // Without a cross: a slip must not lose it.
  return (
    <Dialog title={words.codesTitle} foot={foot}>
      <Notice tone="waiting">{words.codesText}</Notice>
      <div className={classes['codes']}>
        <ol aria-label={words.codes}>
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ol>
        <CopyButton text={codes.join('\n')} what={words.codes} />
      </div>
    </Dialog>
  );
}
