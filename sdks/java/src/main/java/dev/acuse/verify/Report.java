package dev.acuse.verify;

import java.util.List;

/**
 * What a verification found.
 *
 * @param verdict {@code valid}: every check holds; {@code invalid}: one fails; {@code incomplete}:
 *     none fails, and this library does not make one of them: use {@code acuse verify}
 * @param trust {@code pinned}: your policy; {@code bundle}: that of the bundle itself, which is the
 *     operator's statement
 * @param sealedAt when the constancia was made, RFC 3339, or null if that is not proven
 * @param development true for a development time-stamp, which is not a constancia
 * @param checks in the order in which they were made
 * @param copy of a received message with the sealed one, or null if none was given
 */
public record Report(
    String verdict,
    String trust,
    String sealedAt,
    boolean development,
    List<Check> checks,
    Copy copy) {
  /** Every check holds. */
  public static final String VALID = "valid";

  /** A check fails. */
  public static final String INVALID = "invalid";

  /** No check fails, and one was not made. */
  public static final String INCOMPLETE = "incomplete";

  /**
   * Checks are kept as they are given.
   *
   * @param verdict valid, invalid or incomplete
   * @param trust pinned or bundle
   * @param sealedAt RFC 3339, or null
   * @param development true for a development time-stamp
   * @param checks in order
   * @param copy of a received message, or null
   */
  public Report {
    checks = List.copyOf(checks);
  }

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
