import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export type PythonPart = {
  type: string;
  disposition: string | null;
  filename: string | null;
  contentId: string | null;
  content: Uint8Array;
};

export type PythonMessage = {
  names: string[];
  subject: string;
  from: { name: string; address: string }[];
  to: { name: string; address: string }[];
  types: string[];
  defects: string[];
  parts: PythonPart[];
};

const SCRIPT = fileURLToPath(new URL('./read_mail.py', import.meta.url));

/** True if there is a Python 3 to be the second reader. */
export const hasPython = spawnSync('python3', ['-c', 'import email']).status === 0;

/** Python's email package's reading of each message, in one process. */
export function readWithPython(messages: readonly Uint8Array[]): PythonMessage[] {
  const input = messages.map((raw) => Buffer.from(raw).toString('base64')).join('\n');
  const { status, stdout, stderr } = spawnSync('python3', [SCRIPT], { input, maxBuffer: 256 * 1024 * 1024 });
  if (status !== 0) throw new Error(`python3 failed: ${stderr.toString().slice(-2000)}`);
  return stdout
    .toString()
    .trim()
    .split('\n')
    .map((line) => {
      const message = JSON.parse(line) as PythonMessage & { parts: (PythonPart & { content: unknown })[] };
      const parts = message.parts.map((part) => ({
        ...part,
        content: Buffer.from(String(part.content), 'base64'),
      }));
      return { ...message, parts };
    });
}
