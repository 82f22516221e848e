import type { Channel } from './channel.ts';

/** A time for all of the steps in `work` together, whatever each of them may take. */
export async function within<T>(channel: Channel, ms: number, work: () => Promise<T>): Promise<T> {
  const limit = setTimeout(() => {
    channel.fail({ code: 'timeout', message: `not done within ${ms} ms, though each answer came in time` });
  }, ms);
  try {
    return await work();
  } finally {
    clearTimeout(limit);
  }
}
