/** A tool: its schemas, its callers, and its action. */
import type {
  CallToolResult,
  InputRequiredResult,
  ServerContext,
  ToolAnnotations,
} from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { Asked, Reach } from '../guard/confirm.ts';
import type { Rights, Session } from '../session.ts';

/** The context of a call besides its arguments. */
export interface Call {
  readonly session: Session;
  readonly ctx: ServerContext;
  /** How a person can be asked to confirm. */
  readonly reach: Reach;
  readonly mint: (asked: Asked) => Promise<string>;
  /** Lists the tools that these rights allow. */
  readonly admit: (rights: Rights) => void;
}

/** An answer, and resources that it points to. */
export interface Answer<Output> {
  readonly output: Output;
  readonly links?: readonly { readonly uri: string; readonly name: string; readonly mimeType: string }[];
}

type Fields = Readonly<Record<string, z.ZodType>>;

export interface ToolSpec<Input extends Fields, Output extends Fields> {
  readonly name: string;
  readonly title: string;
  /** Fixed: never with text of others. */
  readonly description: string;
  readonly needs: keyof Rights | 'nothing';
  readonly hints: ToolAnnotations;
  readonly input: z.ZodObject<Input, z.core.$strict>;
  readonly output: z.ZodObject<Output>;
  run(
    args: z.infer<z.ZodObject<Input, z.core.$strict>>,
    call: Call,
  ): Promise<Answer<z.infer<z.ZodObject<Output>>> | InputRequiredResult>;
}

/** A tool whose types are behind it. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly needs: keyof Rights | 'nothing';
  readonly hints: ToolAnnotations;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  run(args: unknown, call: Call): Promise<CallToolResult | InputRequiredResult>;
}

/** Hints of what changes nothing. */
export const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
/** Writes a file into the folder of this server: the same one when it is called again. */
export const SAVES: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Leaves a line in the account's access log each time, and nothing else. */
export const RECORDS: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
};

export function tool<Input extends Fields, Output extends Fields>(spec: ToolSpec<Input, Output>): Tool {
  return {
    ...spec,
    input: spec.input as unknown as z.ZodObject,
    output: spec.output as unknown as z.ZodObject,
    async run(args, call) {
      const answer = await spec.run(args as z.infer<z.ZodObject<Input, z.core.$strict>>, call);
      if (!('output' in answer)) return answer as InputRequiredResult;
      const { output, links = [] } = answer as Answer<Record<string, unknown>>;
      return {
        structuredContent: output,
        content: [
          { type: 'text', text: JSON.stringify(output, null, 1) },
          ...links.map((link) => ({ type: 'resource_link' as const, ...link })),
        ],
      };
    },
  };
}
