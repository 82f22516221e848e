package dev.acuse;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Keys and secrets as they may be printed. */
final class Secrets {
  private static final Pattern KEY = Pattern.compile("acuse_([A-Za-z0-9-]+)_[A-Za-z0-9_-]+");
  private static final Pattern WEBHOOK = Pattern.compile("whsec_[A-Za-z0-9+/=_-]+");

  private static final Pattern UNSHOWN =
      Pattern.compile(
          "[\\x00-\\x1f\\x7f-\\x9f\\x{61c}\\x{200e}\\x{200f}\\x{2028}-\\x{202e}\\x{2066}-\\x{2069}]");

  private Secrets() {}

  /** A key with nothing but its id. */
  static String shown(String key) {
    if (key == null) {
      return "null";
    }
    Matcher matcher = KEY.matcher(key);
    return matcher.matches() ? "acuse_" + matcher.group(1) + "_***" : "***";
  }

  /**
   * A text of somebody else without the secrets in it, and without what would end a line, colour a
   * terminal or turn the text around.
   */
  static String redact(String text) {
    if (text == null) {
      return null;
    }
    String keys = KEY.matcher(text).replaceAll("acuse_$1_***");
    String shown = WEBHOOK.matcher(keys).replaceAll("whsec_***");
    return UNSHOWN.matcher(shown).replaceAll("\ufffd");
  }
}
