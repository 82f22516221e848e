# frozen_string_literal: true

module Acuse
  # Hashes of subtrees out of the log's tiles: C2SP tlog-tiles of height 8.
  # @private
  class Tiles
    WIDTH = 256

    # Below /log/tile/: `0/x001/234.p/7`.
    def self.path(level, index, width)
      text = format('%03d', index % 1000)
      rest = index / 1000
      while rest.positive?
        text = "#{format('x%03d', rest % 1000)}/#{text}"
        rest /= 1000
      end
      width == WIDTH ? "#{level}/#{text}" : "#{level}/#{text}.p/#{width}"
    end

    # @yield [level, index, width] the bytes of a tile
    def initialize(size, &read)
      @size = size
      @read = read
      @tiles = {}
    end

    # The siblings of a leaf, from the bottom. RFC 6962 §2.1.1
    def inclusion(index)
      from = 0
      to = @size
      path = []
      while to - from > 1
        middle = from + split(to - from)
        path << (index < middle ? [middle, to] : [from, middle])
        index < middle ? to = middle : from = middle
      end
      path.reverse.map { |range| hash_of(*range) }
    end

    # The proof that this tree continues that of `old` leaves. RFC 6962 §2.1.2
    def consistency(old)
      return [] if old.zero? || old == @size

      from = 0
      to = @size
      path = []
      until old == to
        middle = from + split(to - from)
        path << (old <= middle ? [middle, to] : [from, middle])
        old <= middle ? to = middle : from = middle
      end
      path << [from, to] unless from.zero?
      path.reverse.map { |range| hash_of(*range) }
    end

    private

    # The largest power of two below a number.
    def split(size) = 1 << ((size - 1).bit_length - 1)

    # The hash of leaves that are a subtree of some proof.
    def hash_of(from, to)
      node = nil
      at = to
      while at > from
        leaves = (at - from) & -(at - from)
        whole = perfect(at - leaves, leaves)
        node = node.nil? ? whole : Merkle.node_hash(whole, node)
        at -= leaves
      end
      node || Merkle::EMPTY
    end

    def perfect(from, leaves)
      level = (leaves.bit_length - 1) / 8
      unit = WIDTH**level
      index, first = (from / unit).divmod(WIDTH)
      hashes = tile(level, index).byteslice(first * 32, leaves / unit * 32).unpack('a32' * (leaves / unit))
      hashes = hashes.each_slice(2).map { |pair| Merkle.node_hash(*pair) } while hashes.length > 1
      hashes.first
    end

    def tile(level, index)
      width = [WIDTH, (@size >> (8 * level)) - (index * WIDTH)].min
      @tiles[[level, index]] ||= @read.call(level, index, width)
    end
  end
end
