import type { Page } from 'playwright-core';

/** Runs effects that much later (ms): they follow a frame or a short timer, which a busy machine delays. */
export async function delayEffects(page: Page, lateMs: number): Promise<void> {
  await page.addInitScript((late) => {
    const { setTimeout: after } = window;
    window.requestAnimationFrame = (call) => after(() => call(performance.now()), late);
    window.setTimeout = ((call: TimerHandler, ms = 0, ...rest: unknown[]) =>
      after(call, ms > 0 && ms < 50 ? late : ms, ...rest)) as typeof setTimeout;
  }, lateMs);
}
