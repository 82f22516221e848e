// Steps that need the service's own machine: a bounce with chosen words, a spent quota.
import { execFile } from 'node:child_process';
import { connect } from 'node:net';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Of test/run.mjs, of the service that it started: where bounces are taken, its folder and its command. */
const {
  ACUSE_TEST_RETURN_PATH: port,
  ACUSE_TEST_DATA_DIR: dataDir,
  ACUSE_TEST_COMMAND: command,
} = process.env;

/** True if this service is at hand; otherwise the tasks that need it use one in memory. */
export const atHand = port !== undefined && dataDir !== undefined && command !== undefined;

/** Has `mail` bounce, by a report of the receiving server whose words are `diagnostic`. RFC 3464 §2.1 */
export async function bounce(mail, diagnostic) {
  const report = [
    'From: MAILER-DAEMON@sandbox.test',
    `To: <${mail.mail_from}>`,
    'Subject: Undelivered Mail Returned to Sender',
    `Date: ${new Date().toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${mail.id}.report@sandbox.test>`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    '',
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.sandbox.test',
    '',
    `Final-Recipient: rfc822; ${mail.rcpt_to}`,
    'Action: failed',
    'Status: 5.1.1',
    `Diagnostic-Code: smtp; 550 5.1.1 ${diagnostic}`,
    '',
    '--b--',
    '.',
  ];
  await converse([
    'EHLO mx.sandbox.test',
    'MAIL FROM:<>',
    `RCPT TO:<${mail.mail_from}>`,
    'DATA',
    report.join('\r\n'),
    'QUIT',
  ]);
}

/** One command after each answer. */
async function converse(commands) {
  const socket = connect(Number(port), '127.0.0.1');
  socket.setEncoding('utf8');
  const left = [...commands];
  let line = '';
  for await (const part of socket) {
    line += part;
    // The last line of an answer has a space after its code.
    const last = line.split('\r\n').at(-2);
    if (!line.endsWith('\r\n') || last?.[3] !== ' ') continue;
    line = '';
    if (!/^[23]/.test(last)) throw new Error(last);
    const next = left.shift();
    if (next === undefined) break;
    socket.write(`${next}\r\n`);
  }
  socket.destroy();
}

/** Changes an account from the command line; gives what it printed. */
export async function changeAccount(id, ...options) {
  const env = { ...process.env, ACUSE_DATA_DIR: dataDir };
  const { stdout } = await run(process.execPath, [command, 'tenants', 'update', id, ...options], { env });
  return stdout;
}
