import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** How long a shim may take to be built and to answer its first request (ms). */
const START_LIMIT_MS = 300_000;
/** How long one request may take (ms): a shim that hangs fails one scenario, not the run. */
const ANSWER_LIMIT_MS = 300_000;
/** Exit code of sdks/<language>/run: a tool or a registry is missing. */
const SKIPPED = 77;
const ENDING_LIMIT_MS = 5_000;

/** Why a language is not run. */
export class Skip extends Error {}

/** Starts a library's shim and waits for its `info`. Everything it wrote is kept for the canary. */
export async function startShim(command, cwd, env = {}) {
  const child = spawn(command[0], command.slice(1), {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const waiting = new Map();
  let written = '';
  let last = 0;
  let over = null;
  const end = (error) => {
    over ??= error;
    for (const { reject } of waiting.values()) reject(over);
    waiting.clear();
  };
  child.stdin.on('error', () => {});
  child.on('error', (error) => end(new Skip(`${command[0]} does not start: ${error.message}`)));
  child.on('close', (code) => {
    const said = written.trim().split('\n').at(-1);
    end(
      code === SKIPPED ? new Skip(said) : new Error(`the shim ended with ${code}: ${written.slice(-2_000)}`),
    );
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    written = (written + text).slice(-1_000_000);
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    let answer;
    try {
      answer = JSON.parse(line);
    } catch {
      written += `${line}\n`;
      return;
    }
    waiting.get(answer.id)?.resolve(answer);
    waiting.delete(answer.id);
  });

  const shim = {
    child,
    written: () => written,
    /** The whole answer of one request. */
    ask(op, args = {}, options = {}, limitMs = ANSWER_LIMIT_MS) {
      if (over !== null) return Promise.reject(over);
      const id = ++last;
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(id);
          reject(new Error(`no answer to ${op} within ${limitMs} ms`));
        }, limitMs);
        const settle = (done) => (value) => {
          clearTimeout(timer);
          done(value);
        };
        waiting.set(id, { resolve: settle(resolve), reject: settle(reject) });
        child.stdin.write(`${JSON.stringify({ id, op, args, options })}\n`);
      });
    },
    async stop() {
      if (over !== null) return;
      const ended = new Promise((resolve) => child.on('close', resolve));
      child.stdin.end();
      const timer = setTimeout(() => child.kill('SIGKILL'), ENDING_LIMIT_MS);
      await ended;
      clearTimeout(timer);
    },
  };
  const { result, error } = await shim.ask('info', {}, {}, START_LIMIT_MS);
  if (error !== undefined) throw new Error(`info: ${error.text}`);
  return { ...shim, info: result };
}
