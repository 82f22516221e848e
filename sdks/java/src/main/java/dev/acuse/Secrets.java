package dev.acuse;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Keys and secrets as they may be printed. */
final class Secrets {
  private static final Pattern KEY = Pattern.compile("acuse_([A-Za-z0-9-]+)_[A-Za-z0-9_-]+");
  private static final Pattern WEBHOOK = Pattern.compile("whsec_[A-Za-z0-9+/=_-]+");

  private Secrets() {}

  /** A key with nothing but its id. */
  static String shown(String key) {
    if (key == null) {
      return "null";
    }
    Matcher matcher = KEY.matcher(key);
    return matcher.matches() ? "acuse_" + matcher.group(1) + "_***" : "***";
  }

  /** A text without the secrets in it. */
  static String redact(String text) {
    if (text == null) {
      return null;
    }
    String keys = KEY.matcher(text).replaceAll("acuse_$1_***");
    return WEBHOOK.matcher(keys).replaceAll("whsec_***");
  }
}
