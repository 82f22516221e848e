# frozen_string_literal: true

module Acuse
  module Verifier
    # The end of a log that cannot go on: docs/evidence-format.md, section 6. Trees are sizes with their roots.
    # @private
    LogEnd = Struct.new(:kept, :published, :at, :successor, keyword_init: true) do
      # A statement that this key of the log, and the log that goes on, have signed.
      # @raise [Notes::Problem, Refused]
      def self.open(data, key)
        note = Notes.parse_note(data)
        lines = note.text.split("\n", -1)
        Notes.need(lines.length == 8 && lines[7].empty?, 'not the end of a log')
        Notes.need(lines.first(2) == ['acuse/log-end/v1', key.name], 'not the end of this log')
        Notes.need(lines[6].length.between?(1, 1_000), 'its reason')
        successor = Notes.parse_key(lines[5])
        Notes.need(successor.name != key.name, 'a log does not follow itself')
        signed = Notes.signers(note, [key, successor], Notes::LOG_KEY).length == 2
        Notes.need(signed, 'not signed by the log and the one that goes on')
        new(
          kept: tree(lines[2]), published: tree(lines[3]), at: Checking.moment(lines[4], 'log_end'),
          successor: successor
        )
      end

      def self.tree(line)
        match = line.match(/\A(#{Notes::WHOLE}) ([^ ]+)\z/o)
        Notes.need(match && match[1].to_i < 2**53, 'not a tree')
        root = Notes.unbase64(match[2])
        Notes.need(root.bytesize == 32, 'not a root')
        [match[1].to_i, root]
      end
      private_class_method :tree

      # Can the log have published this tree before its end?
      def published?(size, root)
        trees = [kept, published]
        sizes = trees.map(&:first)
        size <= sizes.max && (!sizes.include?(size) || trees.include?([size, root]))
      end
    end
  end
end
