package dev.acuse.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class LogTreeTest {
  private static final int SIZE = 700;

  private static byte[] entry(int i) {
    return Bytes.sha256(("entry " + i).getBytes(java.nio.charset.StandardCharsets.UTF_8));
  }

  /** RFC 6962 §2.1, straight from the definition. */
  private static byte[] root(int start, int end) {
    if (end - start == 1) {
      return Bytes.sha256(new byte[] {0}, entry(start));
    }
    int split = start + Integer.highestOneBit(end - start - 1);
    return Bytes.sha256(new byte[] {1}, root(start, split), root(split, end));
  }

  private static LogCheckpoint checkpoint(int size) {
    String root = Base64.getEncoder().encodeToString(root(0, size));
    return new LogCheckpoint("log", size, root, "", "");
  }

  private static Function<String, byte[]> tiles(List<String> asked) {
    return path -> {
      asked.add(path);
      String[] parts = path.split("/");
      int level = Integer.parseInt(parts[0]);
      int index = Integer.parseInt(parts[1].replace(".p", ""));
      int width = parts.length == 3 ? Integer.parseInt(parts[2]) : 256;
      int each = level == 0 ? 1 : 256;
      byte[] out = new byte[0];
      for (int i = 0; i < width; i++) {
        int at = (index * 256 + i) * each;
        out = Bytes.concat(out, root(at, at + each));
      }
      return out;
    };
  }

  @Test
  void provesGrowthAndEntriesFromTiles() {
    List<String> asked = new ArrayList<>();
    LogCheckpoint newest = checkpoint(SIZE);
    for (int old : List.of(1, 2, 3, 255, 256, 257, 511, 512, 699)) {
      assertTrue(LogTree.continues(checkpoint(old), newest, tiles(asked)), "from " + old);
    }
    for (int index : List.of(0, 255, 256, 511, 512, 699)) {
      String hash = Bytes.hex(entry(index));
      assertTrue(LogTree.holds(newest, index, hash, tiles(asked)), "entry " + index);
      assertFalse(LogTree.holds(newest, index + 1, hash, tiles(asked)));
    }
    assertTrue(asked.contains("1/000.p/2"));
    assertTrue(asked.contains("0/002.p/188"));
  }

  @Test
  void refusesAnotherHistory() {
    LogCheckpoint forked =
        new LogCheckpoint("log", 300, Base64.getEncoder().encodeToString(entry(1)), "", "");
    assertFalse(LogTree.continues(forked, checkpoint(SIZE), tiles(new ArrayList<>())));
    assertFalse(LogTree.continues(checkpoint(300), checkpoint(SIZE), path -> new byte[32]));
    assertEquals(SIZE, checkpoint(SIZE).size());
  }
}
