package dev.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.acuse.*;
import dev.acuse.model.*;
import dev.acuse.testing.*;
import dev.acuse.verify.*;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A program that imports all of every package, as editors write it. */
class ImportAllTest {
  private static final List<String> PACKAGES =
      List.of("dev.acuse", "dev.acuse.model", "dev.acuse.testing", "dev.acuse.verify");

  @Test
  void noNameIsThatOfTwoTypes() throws Exception {
    Map<String, String> seen = new HashMap<>();
    for (String each : PACKAGES) {
      for (String name : publicTypes(each)) {
        assertEquals(null, seen.put(name, each), name);
        assertTrue(isNew("java.lang." + name), name + " is one of java.lang");
      }
    }
    assertTrue(seen.size() > 100);
  }

  @Test
  void whatIsNamedIsFound() {
    assertEquals("recipient_suppressed", ErrorCode.RECIPIENT_SUPPRESSED);
    Send send = Send.builder("a@example.com", "b@example.com").text("Hello.").build();
    assertEquals("a@example.com", send.from());
    assertEquals("bounced+x@sandbox.test", Sandbox.address("bounced", "x"));
    assertTrue(Policy.TRUST_BUNDLE != null);
  }

  private static List<String> publicTypes(String packageName)
      throws IOException, URISyntaxException {
    Path root = Path.of(Acuse.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    try (Stream<Path> files = Files.list(root.resolve(packageName.replace('.', '/')))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".class") && !name.contains("$") && !name.contains("-"))
          .map(name -> name.substring(0, name.length() - ".class".length()))
          .filter(name -> isPublic(packageName + "." + name))
          .toList();
    }
  }

  private static boolean isPublic(String name) {
    try {
      return Modifier.isPublic(
          Class.forName(name, false, Acuse.class.getClassLoader()).getModifiers());
    } catch (ClassNotFoundException absent) {
      throw new IllegalStateException(absent);
    }
  }

  private static boolean isNew(String name) {
    try {
      Class.forName(name, false, null);
      return false;
    } catch (ClassNotFoundException absent) {
      return true;
    }
  }
}
