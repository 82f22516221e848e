import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { expect, test, vi } from 'vitest';
import { issueCertificate } from '../src/certificate.ts';
import { startSmtpServer } from '../src/smtp-server.ts';

/** The examples of the packages' READMEs, run. */
const folderOf = (name: string) => new URL(`../../${name}/`, import.meta.url);

/**
 * Runs an example of a package in this process, and holds its README to it: the README shows the file as it
 * is, without its first comment. Resolves with what the example printed.
 */
async function runExample(packageFolder: URL, name: string, args: readonly string[]): Promise<string> {
  const file = new URL(`examples/${name}.ts`, packageFolder);
  const [, code] = /^(?:\/\/[^\n]*\n)*(.*)$/s.exec(readFileSync(file, 'utf8'))!;
  if (!readFileSync(new URL('README.md', packageFolder), 'utf8').includes(`\`\`\`ts\n${code}\`\`\`\n`))
    throw new Error(`README.md does not show examples/${name}.ts as it is`);
  const { argv } = process;
  const { log } = console;
  let printed = '';
  process.argv = [argv[0]!, file.pathname, ...args];
  console.log = (...words: unknown[]) => {
    printed += `${words.map((word) => (typeof word === 'string' ? word : inspect(word))).join(' ')}\n`;
  };
  try {
    await vi.importActual(fileURLToPath(file));
  } finally {
    process.argv = argv;
    console.log = log;
  }
  return printed;
}

test('mail: delivers to a real server', async () => {
  const server = await startSmtpServer(issueCertificate({ subject: 'mx.example.net', names: ['localhost'] }));
  try {
    const args = ['127.0.0.1', String(server.port), 'ana@example.net'];
    expect(await runExample(folderOf('mail'), 'deliver', args)).toMatch(/outcome: 'sent'/);
    const [mail] = server.received;
    expect(mail).toMatchObject({
      mailFrom: 'bounces@example.com',
      rcptTo: ['ana@example.net'],
      secure: true,
    });
    expect(mail!.raw.toString()).toMatch(/^DKIM-Signature: .*\r\nSubject: =\?utf-8/is);
  } finally {
    await server.close();
  }
});

test('evidence: verifies a bundle', async () => {
  const bundle = new URL('../../../contract/vectors/bundles/good/complete.zip', import.meta.url);
  const said = await runExample(folderOf('evidence'), 'verify', [fileURLToPath(bundle)]);
  expect(said).toMatch(/^unproven .+ sealed \d{4}-/);
});

test('tsa: stamps a text and verifies it', async () => {
  expect(await runExample(folderOf('tsa'), 'stamp', [])).toMatch(/^true \d{4}-.*CN=Acuse development TSA/);
});
