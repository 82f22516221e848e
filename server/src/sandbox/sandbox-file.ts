import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a program needs to use a running sandbox: `<data dir>/sandbox.json`, readable by its owner only. */
export interface SandboxFile {
  base_url: string;
  api_key: string;
  tenant_id: string;
  /** Of the test mailbox. */
  smtp_port: number;
  /**
   * For SMTP submission with STARTTLS, and with TLS from the first byte: any user, api_key as password. Null
   * where not served.
   */
  submission_port: number | null;
  submissions_port: number | null;
  /** For bounces and complaints. */
  return_path_port: number;
  mailbox_url: string;
  /** Where people open the portal, and a link that signs in an owner of the account once. */
  portal_url: string | null;
  portal_sign_in: string | null;
  /** Of the admin console; null where it is not served. */
  admin_url: string | null;
  /** Signs the first operator in, once; null when there is one. */
  admin_sign_in: string | null;
  /** PEM file with the root of the development authority. */
  ca_file: string;
  /** The log's key as tlog clients take it (C2SP signed-note verifier key). */
  log_key: string;
}

export const SANDBOX_FILE = 'sandbox.json';
const CA_FILE = 'development-ca.pem';

/** Writes sandbox.json and the CA next to it; returns what was written. A reader never sees half of it. */
export function writeSandboxFile(
  dataDir: string,
  facts: Omit<SandboxFile, 'ca_file'>,
  caPem: string,
): SandboxFile {
  const file: SandboxFile = { ...facts, ca_file: join(dataDir, CA_FILE) };
  replace(file.ca_file, caPem, 0o644);
  replace(join(dataDir, SANDBOX_FILE), `${JSON.stringify(file, null, 2)}\n`, 0o600);
  return file;
}

/** Outside the sandbox its key is invalid, and nobody should be led to try it. True when there was a file. */
export function removeSandboxFile(dataDir: string): boolean {
  try {
    rmSync(join(dataDir, SANDBOX_FILE));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

function replace(path: string, text: string, mode: number): void {
  const next = `${path}.${process.pid}`;
  writeFileSync(next, text, { mode });
  renameSync(next, path);
}
