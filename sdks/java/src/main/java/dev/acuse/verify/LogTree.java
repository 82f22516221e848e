package dev.acuse.verify;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Proofs about a log, made of its tiles. RFC 6962 §2.1, C2SP tlog-tiles */
public final class LogTree {
  private static final int WIDTH = 256;
  private static final int HEIGHT = 8;
  private static final int HASH = 32;

  private final long size;
  private final Function<String, byte[]> tiles;
  private final Map<String, byte[]> read = new HashMap<>();

  private LogTree(long size, Function<String, byte[]> tiles) {
    this.size = size;
    this.tiles = tiles;
  }

  /**
   * Does the newer log continue the older one?
   *
   * @param older what was seen before
   * @param newer what is seen now, with more entries
   * @param tiles the bytes of a tile by its path
   * @return false if the two have different histories
   */
  public static boolean continues(
      LogCheckpoint older, LogCheckpoint newer, Function<String, byte[]> tiles) {
    if (older.size() == 0) {
      return true;
    }
    try {
      List<byte[]> path = new LogTree(newer.size(), tiles).consistency(older.size());
      return isConsistent(older.size(), older.root(), newer.size(), newer.root(), path);
    } catch (Refused malformed) {
      return false;
    }
  }

  /**
   * Does the log hold an entry?
   *
   * @param checkpoint of the log
   * @param index of the entry
   * @param canonicalHash of the entry, hex
   * @param tiles the bytes of a tile by its path
   * @return true if it is proven
   */
  public static boolean holds(
      LogCheckpoint checkpoint, long index, String canonicalHash, Function<String, byte[]> tiles) {
    if (index < 0 || index >= checkpoint.size()) {
      return false;
    }
    try {
      List<byte[]> path = new LogTree(checkpoint.size(), tiles).inclusion(index);
      Proof.Checkpoint head =
          new Proof.Checkpoint(checkpoint.origin(), checkpoint.size(), checkpoint.root());
      new Proof(index, path, "").assertIncluded(Bytes.fromHex(canonicalHash), head);
      return true;
    } catch (Refused missing) {
      return false;
    }
  }

  private List<byte[]> inclusion(long index) {
    List<byte[]> path = new ArrayList<>();
    long start = 0;
    long end = size;
    while (end - start > 1) {
      long split = start + below(end - start);
      if (index < split) {
        path.add(range(split, end));
        end = split;
      } else {
        path.add(range(start, split));
        start = split;
      }
    }
    Collections.reverse(path);
    return path;
  }

  private List<byte[]> consistency(long oldSize) {
    List<byte[]> path = new ArrayList<>();
    long start = 0;
    long end = size;
    boolean whole = true;
    while (oldSize != end) {
      long split = start + below(end - start);
      if (oldSize <= split) {
        path.add(range(split, end));
        end = split;
      } else {
        path.add(range(start, split));
        start = split;
        whole = false;
      }
    }
    if (!whole) {
      path.add(range(start, end));
    }
    Collections.reverse(path);
    return path;
  }

  /** RFC 9162 §2.1.4.2 */
  static boolean isConsistent(
      long oldSize, byte[] old, long newSize, byte[] whole, List<byte[]> proof) {
    List<byte[]> path = new ArrayList<>(proof);
    if (Long.bitCount(oldSize) == 1) {
      path.add(0, old);
    }
    if (path.isEmpty()) {
      return false;
    }
    long first = oldSize - 1;
    long last = newSize - 1;
    while ((first & 1) == 1) {
      first >>= 1;
      last >>= 1;
    }
    byte[] oldRoot = path.get(0);
    byte[] newRoot = path.get(0);
    for (byte[] each : path.subList(1, path.size())) {
      if (last == 0) {
        return false;
      }
      if ((first & 1) == 1 || first == last) {
        oldRoot = node(each, oldRoot);
        newRoot = node(each, newRoot);
        while ((first & 1) == 0 && first != 0) {
          first >>= 1;
          last >>= 1;
        }
      } else {
        newRoot = node(newRoot, each);
      }
      first >>= 1;
      last >>= 1;
    }
    return last == 0 && Bytes.equal(oldRoot, old) && Bytes.equal(newRoot, whole);
  }

  /** The root hash of a tree of these entries (RFC 6962 §2.1). */
  static byte[] rootOf(List<byte[]> entries) {
    if (entries.size() == 1) {
      return Bytes.sha256(new byte[] {0}, entries.get(0));
    }
    int split = (int) below(entries.size());
    return node(rootOf(entries.subList(0, split)), rootOf(entries.subList(split, entries.size())));
  }

  /** The largest power of two below. */
  private static long below(long count) {
    return Long.highestOneBit(count - 1);
  }

  private static byte[] node(byte[] left, byte[] right) {
    return Bytes.sha256(new byte[] {1}, left, right);
  }

  private byte[] range(long start, long end) {
    long count = end - start;
    if (Long.bitCount(count) == 1 && start % count == 0) {
      return subtree(Long.numberOfTrailingZeros(count), start / count);
    }
    long split = start + below(count);
    return node(range(start, split), range(split, end));
  }

  /** The hash of a whole subtree: of some neighbours in one tile. */
  private byte[] subtree(int height, long index) {
    int level = height / HEIGHT;
    int count = 1 << height % HEIGHT;
    long first = index * count;
    byte[] tile = tile(level, first / WIDTH);
    List<byte[]> hashes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int at = ((int) (first % WIDTH) + i) * HASH;
      hashes.add(java.util.Arrays.copyOfRange(tile, at, at + HASH));
    }
    while (hashes.size() > 1) {
      List<byte[]> above = new ArrayList<>();
      for (int i = 0; i < hashes.size(); i += 2) {
        above.add(node(hashes.get(i), hashes.get(i + 1)));
      }
      hashes = above;
    }
    return hashes.get(0);
  }

  private byte[] tile(int level, long index) {
    long hashes = size >> HEIGHT * level;
    long width = Math.min(WIDTH, hashes - index * WIDTH);
    StringBuilder path = new StringBuilder(String.format("%03d", index % 1000));
    for (long rest = index / 1000; rest > 0; rest /= 1000) {
      path.insert(0, String.format("x%03d/", rest % 1000));
    }
    String name = level + "/" + path + (width == WIDTH ? "" : ".p/" + width);
    byte[] tile = read.computeIfAbsent(name, tiles);
    Refused.unless(tile != null && tile.length == width * HASH, "a tile has another length");
    return tile;
  }
}
