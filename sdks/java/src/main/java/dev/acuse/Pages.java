package dev.acuse;

import dev.acuse.internal.Reader;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * A list of the API. Nothing is requested before somebody iterates, and each page only when its
 * first item is wanted.
 *
 * @param <T> of the items
 */
public final class Pages<T> implements Iterable<T> {
  private final Engine engine;
  private final Supplier<Call> call;
  private final Function<Map<String, Object>, T> read;

  Pages(Engine engine, Supplier<Call> call, Function<Map<String, Object>, T> read) {
    this.engine = engine;
    this.call = call;
    this.read = read;
  }

  @Override
  public Iterator<T> iterator() {
    Iterator<Page<T>> pages = pages().iterator();
    return new Iterator<>() {
      private Iterator<T> items = List.<T>of().iterator();

      @Override
      public boolean hasNext() {
        while (!items.hasNext() && pages.hasNext()) {
          items = pages.next().data().iterator();
        }
        return items.hasNext();
      }

      @Override
      public T next() {
        if (!hasNext()) {
          throw new NoSuchElementException();
        }
        return items.next();
      }
    };
  }

  /**
   * The items as a stream, as lazy as the iterator. It holds no connection between two pages; after
   * it is closed no further page is asked for.
   *
   * @return a sequential stream
   */
  public Stream<T> stream() {
    boolean[] closed = new boolean[1];
    Iterator<T> items = iterator();
    Iterator<T> open =
        new Iterator<>() {
          @Override
          public boolean hasNext() {
            return !closed[0] && items.hasNext();
          }

          @Override
          public T next() {
            return items.next();
          }
        };
    Iterable<T> each = () -> open;
    return StreamSupport.stream(each.spliterator(), false).onClose(() -> closed[0] = true);
  }

  /**
   * The first page alone.
   *
   * @return a page, perhaps empty
   */
  public Page<T> first() {
    return page(null);
  }

  /**
   * Page by page.
   *
   * @return pages, each asked for when it is wanted
   * @throws ProtocolException while iterating, for a cursor that was there before
   */
  public Iterable<Page<T>> pages() {
    return PageIterator::new;
  }

  private final class PageIterator implements Iterator<Page<T>> {
    private final Set<String> seen = new HashSet<>();
    private String cursor;
    private boolean done;

    @Override
    public boolean hasNext() {
      return !done;
    }

    @Override
    public Page<T> next() {
      if (done) {
        throw new NoSuchElementException();
      }
      Page<T> page = page(cursor);
      cursor = page.nextCursor();
      done = cursor == null;
      if (!done && !seen.add(cursor)) {
        done = true;
        throw new ProtocolException(
            "the list gave the same cursor twice",
            null,
            new CallException.Failure(page.response().attempts(), false, null),
            page.response().status());
      }
      return page;
    }
  }

  private Page<T> page(String cursor) {
    Call asked = call.get();
    if (cursor != null) {
      asked.query("after", cursor);
    }
    return engine.json(
        asked,
        (json, response) -> {
          Reader in = new Reader("page", json, response);
          List<T> data = in.need("data", Reader.list(Reader.record(read)));
          return new Page<>(data, in.nullable("next_cursor", Reader::string), response);
        });
  }

  @Override
  public String toString() {
    return "Pages{" + call.get().operation.id() + "}";
  }
}
