import { options } from 'preact';

/**
 * Preact renders in microtasks, before anything else has a turn. Where what a component waits for is over and
 * it throws the same promise again, because it is told what changed by an effect that has not run yet, it
 * renders again and again, and the effect never runs: the page hangs. The router does so on a slow machine
 * (its matches are read by `useSyncExternalStore`, which subscribes after a frame). In a task of its own a
 * render lets frames, timers and effects have their turns. docs/decisions/0025
 */
export function renderInTasks(): void {
  const { port1, port2 } = new MessageChannel();
  const waiting: (() => void)[] = [];
  port1.onmessage = () => waiting.shift()?.();
  options.debounceRendering = (render) => {
    waiting.push(render);
    port2.postMessage(null);
  };
}
