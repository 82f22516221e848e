import { options } from 'preact';

/** Renders in one task that each follow from the one before: pages need a few. */
const RENDERS_MAX = 50;

/**
 * Preact renders in microtasks, before anything else has a turn. Where what a component waits for is over and
 * it throws the same promise again, because it is told what changed by an effect that has not run yet, it
 * renders again and again, and the effect never runs: the page hangs. The router does so on a slow machine
 * (it reads its matches by `useSyncExternalStore`, which subscribes after a frame). After many renders the
 * next one is a task of its own, so that frames, timers and effects have their turns. docs/decisions/0025
 */
export function boundRenders(): void {
  const { port1, port2 } = new MessageChannel();
  let renders = 0;
  let waiting: (() => void) | null = null;
  port1.onmessage = () => {
    renders = 0;
    const render = waiting;
    waiting = null;
    render?.();
  };
  options.debounceRendering = (render) => {
    if (renders === 0) port2.postMessage(null);
    renders++;
    if (renders <= RENDERS_MAX) queueMicrotask(render);
    else waiting = render;
  };
}
