package dev.acuse;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The contract's test vectors. */
final class Vectors {
  private static final Path ROOT = Path.of("../../contract");

  private Vectors() {}

  static Object read(String name) {
    return Json.parse(
        new String(bytes("vectors/" + name), java.nio.charset.StandardCharsets.UTF_8));
  }

  static byte[] bytes(String name) {
    try {
      return Files.readAllBytes(ROOT.resolve(name));
    } catch (IOException missing) {
      throw new UncheckedIOException(missing);
    }
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> object(Object value) {
    return (Map<String, Object>) value;
  }

  @SuppressWarnings("unchecked")
  static List<Object> list(Object value) {
    return (List<Object>) value;
  }
}
