import type { Page } from 'playwright-core';

/** How long a page may take before it is asked what it does (ms). */
const SUSPECT_MS = 25_000;
/** How long it may take to say so (ms). */
const ANSWER_MS = 5_000;
const LOOKS = 4;

/**
 * As `work`; where that takes long, what the page was doing goes to the standard output: the browser stops
 * its scripts a few times and says where they were.
 */
export async function watchingForStuck<T>(page: Page, work: Promise<T>): Promise<T> {
  const timer = setTimeout(() => void tell(page), SUSPECT_MS);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}

async function tell(page: Page): Promise<void> {
  const said = await lookAt(page).catch((error) => String(error));
  console.warn(`${page.url()} takes long: ${JSON.stringify(said)}`);
}

async function lookAt(page: Page) {
  const devtools = await page.context().newCDPSession(page);
  const stacks: string[][] = [];
  devtools.on('Debugger.paused', ({ callFrames }) => {
    stacks.push(
      callFrames.map(({ functionName, url, location: { lineNumber, columnNumber } }) =>
        [functionName, url.split('/').at(-1), lineNumber, columnNumber].join(':'),
      ),
    );
    void devtools.send('Debugger.resume');
  });
  const debugs = await inTime(devtools.send('Debugger.enable').then(() => true));
  for (let look = 0; look < LOOKS; look++) {
    await inTime(devtools.send('Debugger.pause'));
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  // Where nothing runs, a pause waits for the next script: this one.
  const shown = await inTime(page.evaluate(() => document.body.innerText));
  const frame = await inTime(
    page.evaluate(() => new Promise((done) => requestAnimationFrame(() => done(true)))),
  );
  await inTime(devtools.send('Debugger.disable'));
  await inTime(devtools.detach());
  return { debugs, shown, frame, stacks };
}

/** 'no answer' if none comes in time. */
function inTime<T>(work: Promise<T>): Promise<T | 'no answer'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'no answer'>((resolve) => {
    timer = setTimeout(resolve, ANSWER_MS, 'no answer');
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
