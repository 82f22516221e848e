import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface SandboxFile {
  base_url: string;
  api_key: string;
  tenant_id: string;
  smtp_port: number;
  /** STARTTLS and implicit TLS; any user, api_key as password. Null: not served. */
  submission_port: number | null;
  submissions_port: number | null;
  return_path_port: number;
  mailbox_url: string;
  portal_url: string | null;
  portal_sign_in: string | null;
  admin_url: string | null;
  /** Null: an operator exists. */
  admin_sign_in: string | null;
  /** Root of the development authority (PEM). */
  ca_file: string;
  /** C2SP signed-note verifier key. */
  log_key: string;
}

export const SANDBOX_FILE = 'sandbox.json';
const CA_FILE = 'development-ca.pem';

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

/** Its key is invalid outside the sandbox. True: removed. */
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
