package dev.acuse;

import dev.acuse.model.Message;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Evidence of certified messages, as futures. */
public final class AsyncEvidenceApi extends AsyncEvidenceOperations {
  AsyncEvidenceApi(EvidenceApi blocking, Futures futures) {
    super(blocking, futures);
  }

  /**
   * Saves a proof bundle, as {@link EvidenceApi#downloadBundle} does.
   *
   * @param id of the message
   * @param file to write, or to replace
   * @return ends when the file is whole
   */
  public CompletableFuture<Void> downloadBundle(String id, Path file) {
    return futures.run(
        () -> {
          try {
            blocking.downloadBundle(id, file);
            return null;
          } catch (IOException failed) {
            throw new UncheckedIOException(failed);
          }
        });
  }

  /**
   * Waits until a message is sealed, as {@link EvidenceApi#waitUntilSealed} does.
   *
   * @param id of the message
   * @param within how long to wait at most
   * @return the message, sealed
   */
  public CompletableFuture<Message> waitUntilSealed(String id, Duration within) {
    return futures.run(() -> blocking.waitUntilSealed(id, within));
  }
}
