package dev.acuse;

import java.util.List;

/** Sending and its outcome. */
public final class Messages extends MessagesOperations {
  Messages(Engine engine) {
    super(engine);
  }

  /**
   * Sends many messages, in requests of at most 100 items and 60 MiB. Items without a key get one;
   * give each its own if the program may run twice. Nothing is thrown for single items.
   *
   * @param items of {@link dev.acuse.model.BatchItem} or {@link dev.acuse.model.Send}, in any
   *     mixture
   * @return one outcome per item, in the order of the items
   */
  @OperationId("sendBatch")
  public List<BatchOutcome> sendBatch(List<? extends JsonObject> items) {
    return items.isEmpty() ? List.of() : new Batches(engine, items).run();
  }
}
