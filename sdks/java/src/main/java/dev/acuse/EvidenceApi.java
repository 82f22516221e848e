package dev.acuse;

import dev.acuse.model.Message;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;

/** Evidence of certified messages: what is sealed, proof bundles, online verification. */
public final class EvidenceApi extends EvidenceOperations {
  /** Seconds between two questions; the last of them is repeated. */
  private static final int[] WAITS = {1, 2, 3, 5};

  EvidenceApi(Engine engine) {
    super(engine);
  }

  /**
   * Saves a proof bundle. It is written beside the target and given its name when it is whole, so
   * that a lost connection leaves nothing. It may take as long as bytes keep coming.
   *
   * @param id of the message
   * @param file to write, or to replace
   * @throws IOException if the file cannot be written
   */
  public void downloadBundle(String id, Path file) throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    Path partial = Files.createTempFile(folder, ".acuse-", ".part");
    try {
      Call call = new Call(Operations.GET_PROOF_BUNDLE).path("id", id);
      call.file = partial;
      engine.none(call);
      Files.move(
          partial, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(partial);
    }
  }

  /**
   * Waits until a message is sealed: asks at once and after 1, 2, 3, 5, 5 … seconds.
   *
   * @param id of the message
   * @param within how long to wait at most
   * @return the message, sealed
   * @throws RefusedException at once for a plain message: {@code not_certified}
   * @throws CallTimeoutException if it is not sealed in time
   */
  public Message waitUntilSealed(String id, Duration within) {
    Duration waited = Duration.ZERO;
    for (int i = 0; ; i++) {
      Message message =
          engine.json(new Call(Operations.GET_MESSAGE).path("id", id), Message::fromJson);
      CallException.Failure failure =
          new CallException.Failure(message.extra().response().attempts(), false, null);
      if (!message.certified()) {
        throw ErrorClasses.of(plain(message), failure);
      }
      if (message.sealedAt() != null) {
        return message;
      }
      Duration wait = Duration.ofSeconds(WAITS[Math.min(i, WAITS.length - 1)]);
      waited = waited.plus(wait);
      if (waited.compareTo(within) > 0) {
        throw new CallTimeoutException(
            "receive", "the message is not sealed yet: ask again later", null, failure);
      }
      pause(wait, failure);
    }
  }

  private static ApiException.Answer plain(Message message) {
    return new ApiException.Answer(
        ErrorCode.status(ErrorCode.NOT_CERTIFIED),
        ErrorCode.NOT_CERTIFIED,
        "A plain message is never sealed.",
        ErrorCode.fix(ErrorCode.NOT_CERTIFIED),
        message.extra().response().requestId(),
        null);
  }

  private void pause(Duration wait, CallException.Failure failure) {
    try {
      engine.options.sleep.sleep(wait);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new CancelledException("waiting was cancelled", interrupted, failure);
    }
  }
}
