package dev.acuse;

import dev.acuse.model.Message;

/**
 * The outcome of one item of a batch.
 *
 * @param index its place among the items given
 * @param status {@code created}, {@code replayed}, {@code failed}, or {@code unknown} if the
 *     request that carried it was lost for good
 * @param idempotencyKey given, or made for it: sending the item again with it makes no second
 *     message
 * @param message as the server has it, or null
 * @param error why it failed or is unknown, or null
 */
public record BatchOutcome(
    int index, String status, String idempotencyKey, Message message, AcuseException error) {
  /** A message was made now. */
  public static final String CREATED = "created";

  /** The key had made this message before. */
  public static final String REPLAYED = "replayed";

  /** It was refused. */
  public static final String FAILED = "failed";

  /** It may have been accepted. */
  public static final String UNKNOWN = "unknown";

  @Override
  public String toString() {
    return "BatchOutcome{index=" + index + ", status=" + status + "}";
  }
}
