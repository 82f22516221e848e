package dev.acuse.verify;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;

/** Bytes and their texts, each with one spelling. */
final class Bytes {
  private Bytes() {}

  static byte[] sha256(byte[]... chunks) {
    return digest("SHA-256", chunks);
  }

  static byte[] sha512(byte[]... chunks) {
    return digest("SHA-512", chunks);
  }

  static byte[] digest(String algorithm, byte[]... chunks) {
    try {
      MessageDigest digest = MessageDigest.getInstance(algorithm);
      for (byte[] chunk : chunks) {
        digest.update(chunk);
      }
      return digest.digest();
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  static byte[] fromHex(String text) {
    return HexFormat.of().parseHex(text);
  }

  static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Strict; null for bytes that are not UTF-8. A byte order mark stays. */
  static String text(byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException malformed) {
      return null;
    }
  }

  static String latin1(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  /** RFC 4648 §4 in its one spelling; null for anything else. */
  static byte[] base64(String text) {
    try {
      byte[] bytes = Base64.getDecoder().decode(text);
      return Base64.getEncoder().encodeToString(bytes).equals(text) ? bytes : null;
    } catch (IllegalArgumentException malformed) {
      return null;
    }
  }

  static byte[] concat(byte[]... chunks) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] chunk : chunks) {
      out.writeBytes(chunk);
    }
    return out.toByteArray();
  }

  static boolean equal(byte[] a, byte[] b) {
    return MessageDigest.isEqual(a, b);
  }
}
