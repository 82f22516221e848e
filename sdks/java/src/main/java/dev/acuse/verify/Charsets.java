package dev.acuse.verify;

import java.util.Locale;
import java.util.Set;

/** The charsets that text parts are converted from: UTF-8 and windows-1252 with its labels. */
final class Charsets {
  private static final Set<String> AS_THEY_ARE = Set.of("", "utf-8", "utf8", "us-ascii", "ascii");

  /** Labels of the Encoding Standard. */
  private static final Set<String> WINDOWS_1252 =
      Set.of(
          "ansi_x3.4-1968",
          "cp1252",
          "cp819",
          "csisolatin1",
          "ibm819",
          "iso-8859-1",
          "iso-ir-100",
          "iso8859-1",
          "iso88591",
          "iso_8859-1",
          "iso_8859-1:1987",
          "l1",
          "latin1",
          "windows-1252",
          "x-cp1252");

  private static final String UPPER =
      "\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d"
          + "\u008f\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153"
          + "\u009d\u017e\u0178";

  private Charsets() {}

  /**
   * The bytes in UTF-8; null for any other charset, known to others or to nobody: what cannot be
   * told apart here is not judged.
   */
  static byte[] toUtf8(byte[] bytes, String label) {
    String lower = label.toLowerCase(Locale.ROOT);
    if (AS_THEY_ARE.contains(lower)) {
      return bytes;
    }
    if (WINDOWS_1252.contains(lower.strip())) {
      return Bytes.utf8(windows(bytes));
    }
    return null;
  }

  private static String windows(byte[] bytes) {
    StringBuilder out = new StringBuilder(bytes.length);
    for (byte each : bytes) {
      int code = each & 0xff;
      out.append(code >= 0x80 && code < 0xa0 ? UPPER.charAt(code - 0x80) : (char) code);
    }
    return out.toString();
  }

  /** A text in a header; null for a charset that this library does not convert. */
  static String decode(byte[] bytes, String label) {
    String lower = label.toLowerCase(Locale.ROOT).strip();
    if (lower.isEmpty() || lower.equals("utf-8") || lower.equals("utf8")) {
      return new String(bytes, java.nio.charset.StandardCharsets.UTF_8);
    }
    boolean single = WINDOWS_1252.contains(lower) || AS_THEY_ARE.contains(lower);
    return single ? windows(bytes) : null;
  }
}
