package dev.acuse.verify;

import java.util.List;

/**
 * The findings of a verification.
 *
 * @param verdict what you may take it to mean. {@code verified}: all holds and is whole, under keys
 *     of yours. {@code unproven}: it holds together, and nobody whom you trust vouches for it: the
 *     keys are the bundle's own, or its time-stamps prove nothing. {@code incomplete}: genuine, and
 *     not the whole, or not all of it was checked. {@code rejected}: a check fails
 * @param reasons why it is not {@code verified}; of {@code rejected}, the checks that failed
 * @param warnings what is odd and breaks nothing
 * @param valid whether every check was made and holds, whoever vouches and whatever is left out
 * @param trust {@code pinned}: your policy; {@code bundle}: that of the bundle itself, which is the
 *     operator's statement
 * @param sealedAt when the constancia was made, RFC 3339, or null if that is not proven
 * @param development true for a development time-stamp, which is not a constancia
 * @param checks in the order in which they were made
 * @param copy of a received message with the sealed one, or null if none was given
 */
public record Report(
    String verdict,
    List<Remark> reasons,
    List<Remark> warnings,
    boolean valid,
    String trust,
    String sealedAt,
    boolean development,
    List<Check> checks,
    Copy copy) {
  /** All holds and is whole, under keys of yours. */
  public static final String VERIFIED = "verified";

  /** It holds together, and nobody whom you trust vouches for it. */
  public static final String UNPROVEN = "unproven";

  /** Genuine, and not the whole, or not all of it was checked. */
  public static final String INCOMPLETE = "incomplete";

  /** A check fails. */
  public static final String REJECTED = "rejected";

  /**
   * Lists are kept as they are given.
   *
   * @param verdict verified, unproven, incomplete or rejected
   * @param reasons why it is not verified
   * @param warnings what is odd
   * @param valid whether every check holds
   * @param trust pinned or bundle
   * @param sealedAt RFC 3339, or null
   * @param development true for a development time-stamp
   * @param checks in order
   * @param copy of a received message, or null
   */
  public Report {
    reasons = List.copyOf(reasons);
    warnings = List.copyOf(warnings);
    checks = List.copyOf(checks);
  }

  /**
   * A reason or a warning.
   *
   * @param name a code, such as {@code bundle_keys}, or the name of a check
   * @param detail the same as a sentence
   */
  public record Remark(String name, String detail) {}

  /**
   * One step.
   *
   * @param name as in section 9 of the evidence format
   * @param ok null if it was not made
   * @param detail why
   */
  public record Check(String name, Boolean ok, String detail) {}

  /**
   * A received copy. Whether the bundle is valid does not depend on it.
   *
   * @param verdict {@code same}, {@code parts} (those that the bundle opens are in it, and nothing
   *     is said of the rest), {@code differs}, or {@code not_comparable}
   * @param bytes it is the sealed message byte for byte, after what relays put before it
   * @param relaxed header and body are the same but for white space
   * @param parts every part that the bundle opens is in it
   */
  public record Copy(String verdict, boolean bytes, boolean relaxed, boolean parts) {}
}
