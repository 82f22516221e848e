package dev.acuse;

import dev.acuse.model.Evidence;
import dev.acuse.model.Message;
import dev.acuse.verify.LogCheckpoint;
import dev.acuse.verify.LogPromise;
import dev.acuse.verify.LogTree;

/** The transparency log: its checkpoints, that it only grows, and what it promised. */
public final class Log extends LogOperations {
  /** The message is in the log. */
  public static final String KEPT = "kept";

  /** There is time left. */
  public static final String PENDING = "pending";

  /** The time is over, and the message is not in the log. */
  public static final String BROKEN = "broken";

  Log(Engine engine) {
    super(engine);
  }

  /**
   * The newest checkpoint. Keep it, to follow the log from there.
   *
   * @param pinnedKey the log's verifier key, from elsewhere than the log
   * @return a checkpoint
   * @throws LogException {@code bad_signature}
   */
  public LogCheckpoint checkpoint(String pinnedKey) {
    LogCheckpoint.requireKey(pinnedKey);
    return LogCheckpoint.open(checkpoint(), pinnedKey);
  }

  /**
   * Proves that the log has only grown since.
   *
   * @param saved what was seen before
   * @return the newest checkpoint
   * @throws LogException {@code went_back}, {@code forked} or {@code bad_signature}: keep both
   *     checkpoints, which prove it
   */
  public LogCheckpoint follow(LogCheckpoint saved) {
    LogCheckpoint newest = checkpoint(saved.key());
    if (newest.size() < saved.size()) {
      throw new LogException(
          "went_back", "The log has " + newest.size() + " entries, and had " + saved.size() + ".");
    }
    boolean same = newest.size() == saved.size();
    boolean sound =
        same
            ? newest.rootHash().equals(saved.rootHash())
            : LogTree.continues(saved, newest, this::tile);
    if (!sound) {
      throw new LogException("forked", "The log does not continue what it said before.");
    }
    return newest;
  }

  /**
   * Did the log do what it promised when the message was accepted?
   *
   * @param message with its promise
   * @param checkpoint of the log
   * @return {@link #KEPT}, {@link #PENDING} or {@link #BROKEN}
   * @throws LogException {@code bad_signature}
   * @throws ConfigurationException for a message without a promise
   */
  public String checkPromise(Message message, LogCheckpoint checkpoint) {
    if (message.promise() == null) {
      throw new ConfigurationException("The message has no promise: only certified ones do.");
    }
    LogPromise promise = LogPromise.open(message.promise(), checkpoint.key());
    boolean late = engine.options.clock.instant().getEpochSecond() > promise.deadline();
    String missing = late ? BROKEN : PENDING;
    Call call = new Call(Operations.GET_EVIDENCE).path("id", message.id());
    Evidence evidence;
    try {
      evidence = engine.json(call, Evidence::fromJson);
    } catch (RefusedException | NotFoundException unsealed) {
      return missing;
    }
    boolean kept =
        evidence.canonicalHash().equals(promise.canonicalHash())
            && LogTree.holds(checkpoint, evidence.leafIndex(), promise.canonicalHash(), this::tile);
    return kept ? KEPT : missing;
  }
}
