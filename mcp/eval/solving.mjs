// Shared by scripted solvers.
import { eventually } from '../test/support.mjs';

/** Previews and sends, as a careful agent does: the refusal, or what send_message answered. */
export async function previewAndSend(call, message) {
  const { output, error } = await call('preview_message', message);
  if (error !== undefined) return { error };
  if (output.preview_token === null) return { error: output.refusals[0] };
  return call('send_message', { ...message, preview_token: output.preview_token });
}

/** The message when `ready` says so. */
export function message(call, message_id, ready) {
  return eventually(async () => {
    const { output } = await call('get_message', { message_id });
    return ready(output.message) && output.message;
  });
}

/** Messages with this subject that the service knows. */
export function sentAs(world, subject) {
  return world.acuse.messages.list({ subject }).toArray(10);
}
