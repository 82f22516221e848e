import type { Agent } from 'undici';

/** Connections that undici keeps. It takes long to load, and few starts need it: the first request does. */
export interface LateAgent {
  get(): Promise<Agent>;
  /** Ends what is under way. */
  destroy(): Promise<void>;
}

export function createLateAgent(options: Agent.Options): LateAgent {
  let agent: Promise<Agent> | null = null;
  return {
    get() {
      agent ??= import('undici').then(({ Agent }) => new Agent(options));
      return agent;
    },
    async destroy() {
      await (await agent)?.destroy();
    },
  };
}
