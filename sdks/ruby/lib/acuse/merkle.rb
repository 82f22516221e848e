# frozen_string_literal: true

require 'digest'

module Acuse
  # The log's tree: RFC 6962 §2.1 over SHA-256.
  # @private
  module Merkle
    EMPTY = Digest::SHA256.digest('').freeze

    module_function

    # Of an entry.
    def leaf_hash(entry) = Digest::SHA256.digest("\0".b + entry)

    # Of two subtrees.
    def node_hash(left, right) = Digest::SHA256.digest("\1".b + left + right)

    # The root of a tree of these leaves, at least one.
    def root(leaves)
      return leaves.first if leaves.length == 1

      left = 1 << ((leaves.length - 1).bit_length - 1)
      node_hash(root(leaves.first(left)), root(leaves.drop(left)))
    end

    # Does the path lead from the leaf to the root, in exactly as many steps as it takes?
    def included?(leaf, index, size, path, root)
      return false unless index >= 0 && index < size && hashes?(path)

      last = size - 1
      node = leaf
      path.each do |sibling|
        return false if last.zero?

        node, index, last = step(node, index, last, sibling)
      end
      last.zero? && node == root
    end

    # Is the tree of `size` leaves a continuation of that of `old`? RFC 6962 §2.1.2
    def consistent?(old, old_root, size, root, path)
      return false unless old >= 0 && old <= size && hashes?(path)
      return path.empty? && old_root == root if old == size
      return path.empty? && old_root == EMPTY if old.zero?

      steps = (old & (old - 1)).zero? ? [old_root, *path] : path
      return false if steps.empty?

      position = old - 1
      last = size - 1
      while position.odd?
        position = position >> 1
        last = last >> 1
      end
      climbed?(steps, position, last, old_root, root)
    end

    def climbed?(steps, position, last, old_root, root)
      first = second = steps.first
      steps.drop(1).each do |sibling|
        return false if last.zero?

        first = node_hash(sibling, first) if position.odd? || position == last
        second, position, last = step(second, position, last, sibling)
      end
      last.zero? && first == old_root && second == root
    end

    # One level up, with the sibling on its side.
    def step(node, position, last, sibling)
      if position.odd? || position == last
        node = node_hash(sibling, node)
        while position.even? && position.positive?
          position = position >> 1
          last = last >> 1
        end
      else
        node = node_hash(node, sibling)
      end
      [node, position >> 1, last >> 1]
    end

    def hashes?(path) = path.all? { |each| each.bytesize == 32 }
  end
end
