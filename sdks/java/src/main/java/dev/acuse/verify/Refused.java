package dev.acuse.verify;

/** A check that fails, and why. */
final class Refused extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The check was not made: this library does not know how. */
  private final boolean unchecked;

  Refused(String why) {
    this(why, false);
  }

  private Refused(String why, boolean unchecked) {
    super(why, null, false, false);
    this.unchecked = unchecked;
  }

  static Refused notChecked(String why) {
    return new Refused(why, true);
  }

  boolean isUnchecked() {
    return unchecked;
  }

  static void unless(boolean holds, String why) {
    if (!holds) {
      throw new Refused(why);
    }
  }
}
