package dev.acuse.verify;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * A ZIP that reads one way: each byte belongs to one entry, the directory or the end, and an
 * entry's two headers say the same. Sizes are checked before anything is inflated. PKWARE APPNOTE
 * 6.3
 */
final class Zip {
  private static final int END = 0x06054b50;
  private static final int CENTRAL = 0x02014b50;
  private static final int LOCAL = 0x04034b50;
  private static final int END_BYTES = 22;
  private static final int CENTRAL_BYTES = 46;
  private static final int LOCAL_BYTES = 30;
  private static final int DEFLATED = 8;

  /** Bits 1 and 2: how hard the packer tried; 11: the name is UTF-8. */
  private static final int HARMLESS = 0x0806;

  private static final int KIND = 0170000;
  private static final int REGULAR = 0100000;
  private static final int PERMISSIONS = 0777;
  private static final int DOS_KINDS = 0x18;

  private final byte[] bytes;
  private final ByteBuffer view;

  private record Place(
      String name, int method, int crc, long packed, long size, long offset, int at) {}

  private Zip(byte[] bytes) {
    this.bytes = bytes;
    this.view = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  static Map<String, byte[]> read(byte[] bytes) {
    Zip zip = new Zip(bytes);
    Map<String, byte[]> out = new LinkedHashMap<>();
    for (Place place : zip.directory()) {
      out.put(place.name, zip.content(place));
    }
    return out;
  }

  private int u16(int at) {
    return Short.toUnsignedInt(view.getShort(at));
  }

  private long u32(int at) {
    return Integer.toUnsignedLong(view.getInt(at));
  }

  private List<Place> directory() {
    int end = bytes.length - END_BYTES;
    Refused.unless(
        end >= 0 && view.getInt(end) == END && u16(end + 20) == 0,
        "the ZIP does not end as one without a comment does");
    int count = u16(end + 10);
    Refused.unless(u32(end + 4) == 0 && u16(end + 8) == count, "the ZIP has several disks");
    Refused.unless(count <= Container.MAX_ENTRIES, "the ZIP has too many entries");
    long start = u32(end + 16);
    Refused.unless(start + u32(end + 12) == end, "the ZIP's directory is elsewhere");
    List<Place> places = new ArrayList<>();
    Set<String> names = new HashSet<>();
    long total = 0;
    int at = (int) start;
    for (int i = 0; i < count; i++) {
      Place place = entry(at, end);
      Container.checkName(place.name, place.size);
      Refused.unless(names.add(place.name.toLowerCase(Locale.ROOT)), "the ZIP has a name twice");
      total += place.size;
      Refused.unless(total <= Container.MAX_CONTENT, "the ZIP holds too many bytes");
      places.add(place);
      at += CENTRAL_BYTES + place.name.length();
    }
    Refused.unless(at == end, "the ZIP's directory has another length");
    seamless(places, start);
    return places;
  }

  private Place entry(int at, int end) {
    boolean fits = at + CENTRAL_BYTES <= end && view.getInt(at) == CENTRAL;
    Refused.unless(fits, "the ZIP's directory is damaged");
    int length = u16(at + 28);
    Refused.unless(at + CENTRAL_BYTES + length <= end, "the ZIP's directory is damaged");
    String name =
        Bytes.latin1(Arrays.copyOfRange(bytes, at + CENTRAL_BYTES, at + CENTRAL_BYTES + length));
    Refused.unless(
        u32(at + 30) == 0 && u16(at + 34) == 0, "an entry has extra fields, a comment or a disk");
    Refused.unless((u16(at + 8) & ~HARMLESS) == 0, "an entry has flags such as encryption");
    long attributes = u32(at + 38);
    Refused.unless((attributes & DOS_KINDS) == 0 && !name.endsWith("/"), "an entry is a folder");
    int mode = (int) (attributes >>> 16);
    boolean plain = (mode & KIND) == 0 || (mode & KIND) == REGULAR;
    Refused.unless(plain && (mode & ~(KIND | PERMISSIONS)) == 0, "an entry is not a plain file");
    int method = u16(at + 10);
    long packed = u32(at + 20);
    long size = u32(at + 24);
    Refused.unless(method == 0 || method == DEFLATED, "an entry is compressed in an unknown way");
    Refused.unless(method == DEFLATED || packed == size, "an entry has two sizes");
    return new Place(name, method, view.getInt(at + 16), packed, size, u32(at + 42), at);
  }

  private static void seamless(List<Place> places, long directory) {
    long free = 0;
    List<Place> sorted = new ArrayList<>(places);
    sorted.sort(Comparator.comparingLong(Place::offset));
    for (Place place : sorted) {
      Refused.unless(place.offset == free, "bytes of the ZIP belong to no entry, or to two");
      free += LOCAL_BYTES + place.name.length() + place.packed;
    }
    Refused.unless(free == directory, "bytes of the ZIP belong to no entry, or to two");
  }

  private byte[] content(Place place) {
    int at = (int) place.offset;
    int start = at + LOCAL_BYTES + place.name.length();
    Refused.unless(view.getInt(at) == LOCAL, "an entry is not where the directory says");
    boolean same =
        Arrays.equals(bytes, at + 4, at + 28, bytes, place.at + 6, place.at + 30)
            && Bytes.latin1(Arrays.copyOfRange(bytes, at + LOCAL_BYTES, start)).equals(place.name);
    Refused.unless(same, "two headers of an entry differ");
    Refused.unless(u16(at + 28) == 0, "an entry has extra fields");
    byte[] packed = Arrays.copyOfRange(bytes, start, start + (int) place.packed);
    byte[] content = place.method == 0 ? packed : inflate(packed, (int) place.size);
    CRC32 crc = new CRC32();
    crc.update(content);
    Refused.unless((int) crc.getValue() == place.crc, "an entry is damaged");
    return content;
  }

  private static byte[] inflate(byte[] packed, int size) {
    Inflater inflater = new Inflater(true);
    try {
      inflater.setInput(packed);
      byte[] out = new byte[size];
      int at = 0;
      while (at < size && !inflater.finished()) {
        int got = inflater.inflate(out, at, size - at);
        Refused.unless(got > 0 || inflater.finished(), "an entry is smaller than it says");
        at += got;
      }
      Refused.unless(at == size, "an entry is smaller than it says");
      Refused.unless(
          inflater.finished() || inflater.inflate(new byte[1]) == 0 && inflater.finished(),
          "an entry is larger than it says");
      Refused.unless(inflater.getRemaining() == 0, "an entry has bytes after its content");
      return out;
    } catch (DataFormatException damaged) {
      throw new Refused("an entry is damaged");
    } finally {
      inflater.end();
    }
  }
}
