package dev.acuse;

import java.util.List;

/**
 * Some items of a list.
 *
 * @param <T> of the items
 * @param data in the list's order
 * @param nextCursor where the next page begins, or null after the last
 * @param response what they came in
 */
public record Page<T>(List<T> data, String nextCursor, Response response) {
  /**
   * Items are kept as they are given.
   *
   * @param data in the list's order
   * @param nextCursor or null
   * @param response what they came in
   */
  public Page {
    data = List.copyOf(data);
  }

  @Override
  public String toString() {
    return "Page{" + data.size() + " items}";
  }
}
