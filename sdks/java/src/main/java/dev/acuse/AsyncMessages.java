package dev.acuse;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Sending and its outcome, as futures. */
public final class AsyncMessages extends AsyncMessagesOperations {
  AsyncMessages(Messages blocking, Futures futures) {
    super(blocking, futures);
  }

  /**
   * Sends many messages, as {@link Messages#sendBatch} does.
   *
   * @param items in any mixture
   * @return one outcome per item, in the order of the items
   */
  @OperationId("sendBatch")
  public CompletableFuture<List<BatchOutcome>> sendBatch(List<? extends JsonObject> items) {
    return futures.run(() -> blocking.sendBatch(items));
  }
}
