import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestCertificate } from '@acuse/testkit/certificate';
import { PATIENCE_MS } from '@acuse/testkit/eventually';
import { type Postfix, type PostfixService, startPostfix } from '@acuse/testkit/postfix';

/**
 * Postfix as the mail server of every domain in the world, with mailboxes that are files, as its operator
 * would find them.
 */
export interface MailStore {
  readonly postfix: Postfix;
  /** Mail that was delivered into the maildir, oldest first. */
  mails(): StoredMail[];
  /**
   * Waits until that many are there: Postfix stores what it took in its own time. Throws with Postfix's log.
   */
  untilStored(count: number): Promise<StoredMail[]>;
  /** The whole file of the mailbox in mbox format. */
  mbox(): Buffer;
  stop(): Promise<void>;
}

export interface StoredMail {
  readonly bytes: Buffer;
  /** Envelope recipient, after `Delivered-To`. */
  readonly recipient: string;
  /** Envelope sender, after `Return-Path`. */
  readonly returnPath: string;
  /** Ours, after `Service-Evidence`; empty where there is none. */
  readonly messageId: string;
}

/** The mailboxes belong to `nobody`, as those of virtual users belong to one account. */
export const NOBODY_ID = 65_534;

const STORED_WITHIN_MS = PATIENCE_MS;
const LOG_TAIL_CHARS = 4_000;

/** Mail to these local parts goes elsewhere than into the maildir. */
const MAILBOXES = `if !/^no-such-user/
/^mbox@/ mbox
/./ maildir/
endif
`;

export interface MailStoreOptions {
  readonly hostname: string;
  readonly certificate: TestCertificate;
  readonly services: readonly PostfixService[];
  readonly main?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly port: number;
  /** Holds the mailboxes; belongs to `nobody`. */
  readonly folder: string;
}

export async function startMailStore(options: MailStoreOptions): Promise<MailStore> {
  const { certificate, folder } = options;
  const files = {
    'key.pem': `${certificate.keyPem}${certificate.certPem}`,
    mailboxes: MAILBOXES,
    ...options.files,
  };
  const postfix = await startPostfix({
    services: options.services,
    port: options.port,
    files,
    main: {
      myhostname: options.hostname,
      smtpd_tls_chain_files: '$config_directory/key.pem',
      smtpd_tls_security_level: 'may',
      smtpd_tls_received_header: 'yes',
      virtual_mailbox_domains: 'static:all',
      virtual_mailbox_base: folder,
      virtual_mailbox_maps: 'regexp:$config_directory/mailboxes',
      virtual_uid_maps: `static:${NOBODY_ID}`,
      virtual_gid_maps: `static:${NOBODY_ID}`,
      virtual_mailbox_limit: '0',
      // A report that comes back before we have written down that the message went is put off: not for
      // minutes here.
      queue_run_delay: '1s',
      minimal_backoff_time: '1s',
      maximal_backoff_time: '2s',
      ...options.main,
    },
  });
  const mails = () => readMaildir(join(folder, 'maildir/new'));
  return {
    postfix,
    mails,
    async untilStored(count) {
      for (const until = Date.now() + STORED_WITHIN_MS; mails().length < count; ) {
        if (Date.now() > until)
          throw new Error(
            `${mails().length} of ${count} mails were stored:\n${postfix.log().slice(-LOG_TAIL_CHARS)}`,
          );
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return mails();
    },
    mbox: () => readFileSync(join(folder, 'mbox')),
    stop: postfix.stop,
  };
}

function readMaildir(folder: string): StoredMail[] {
  let names: string[];
  try {
    names = readdirSync(folder).sort();
  } catch {
    return [];
  }
  return names.map((name) => {
    const bytes = readFileSync(join(folder, name));
    const header = bytes.toString('utf8', 0, bytes.indexOf('\n\n'));
    const field = (pattern: RegExp) => pattern.exec(header)?.[1] ?? '';
    return {
      bytes,
      recipient: field(/^Delivered-To: (.*)$/m),
      returnPath: field(/^Return-Path: <(.*)>$/m),
      messageId: field(/^Service-Evidence:[^\n]* id=([0-9a-f-]{36})/m),
    };
  });
}
