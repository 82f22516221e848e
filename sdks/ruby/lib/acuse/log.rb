# frozen_string_literal: true

module Acuse
  # The log is not what it said before. Keep both checkpoints: they are the proof.
  class LogError < Error
    # @return [Symbol] :went_back (smaller than before), :forked (another history) or :bad_signature
    attr_reader :reason

    def initialize(reason, message)
      super(message)
      @reason = reason
    end
  end

  # Spaces, tabs and line ends around a pinned key are no part of it: files and answers end in a line end.
  KEY_LINE = /\A[ \t\r\n]*([^ \t\r\n]+)[ \t\r\n]*\z/
  private_constant :KEY_LINE

  # The log at some size. Keep `note` and `key`: `Checkpoint.load` makes it again.
  # `root`: 32 bytes; `note`: the signed text as the log gave it; `key`: the verifier key that signed it.
  Checkpoint = Struct.new(:origin, :size, :root, :note, :key, keyword_init: true) do
    # @param note [String]
    # @param pinned_key [String]
    # @return [Checkpoint]
    # @raise [LogError] :bad_signature
    # @raise [ConfigurationError] the key cannot be one
    def self.load(note, pinned_key)
      key = pinned(pinned_key)
      origin, size, root = signed(note, key, 'The checkpoint') { |text| Notes.parse_tree_head(text).to_a }
      new(origin: origin, size: size, root: root, note: note, key: pinned_key[KEY_LINE, 1]).freeze
    end

    # @private
    def self.pinned(text)
      text = text.to_s
      key = Notes.parse_key((text.valid_encoding? && text[KEY_LINE, 1]) || '')
      Notes.need(key.kind == Notes::LOG_KEY, 'a key of another kind')
      key
    rescue Notes::Problem => e
      raise ConfigurationError, "The pinned key must be the log's, name+id+base64: #{e.message}."
    end

    # The result of the block for a note that the key signed; its first is the origin.
    # @private
    def self.signed(text, key, what)
      note = Notes.parse_note(text)
      found = yield note.text
      Notes.need(found.first == key.name, 'it is of another log')
      Notes.need(!Notes.signers(note, [key], Notes::LOG_KEY).empty?, 'not signed by the pinned key')
      found
    rescue Notes::Problem => e
      raise LogError.new(:bad_signature, "#{what} is not signed by #{key.name}: #{e.message}.")
    end
  end

  # The outcome of the log's promise to include a message. `state`: :kept, :pending or :broken; `deadline` in
  # Unix seconds.
  Promise = Struct.new(:state, :deadline, keyword_init: true)

  module Resources
    # Operations of the transparency log.
    class Log
      # The newest checkpoint.
      # @param pinned_key [String, nil] the log's verifier key, which you have from elsewhere; without it the
      #   signed text comes as it is, unverified
      # @return [Checkpoint, String]
      # @raise [LogError] :bad_signature
      def checkpoint(pinned_key = nil)
        Checkpoint.pinned(pinned_key) unless pinned_key.nil?
        note = call(OPERATIONS.fetch('getLogCheckpoint'))
        pinned_key.nil? ? note : Checkpoint.load(note, pinned_key)
      end

      # The newest checkpoint, after proving from the log's tiles that it continues the saved one.
      # @param saved [Checkpoint]
      # @return [Checkpoint]
      # @raise [LogError] :went_back, :forked, :bad_signature: keep both checkpoints
      def follow(saved)
        newest = checkpoint(saved.key)
        if newest.size < saved.size
          raise LogError.new(:went_back, "The log has #{newest.size} entries, and had #{saved.size}.")
        end

        path = newest.size == saved.size ? [] : tiles(newest).consistency(saved.size)
        return newest if Merkle.consistent?(saved.size, saved.root, newest.size, newest.root, path)

        raise LogError.new(
          :forked, "The log at #{newest.size} entries does not continue that of #{saved.size}."
        )
      end

      # Was the promise kept that the log made when it accepted the message?
      # @param message [Types::Message]
      # @param checkpoint [Checkpoint]
      # @return [Promise]
      # @raise [ConfigurationError] the message has no promise
      # @raise [LogError] :bad_signature
      def check_promise(message, checkpoint)
        promise = message['promise']
        raise ConfigurationError, 'The message has no promise: only certified ones do.' if promise.nil?

        key = Checkpoint.pinned(checkpoint.key)
        _, hash, deadline = opened(promise, key)
        kept = in_log?(message['id'], hash, checkpoint)
        late = @core.options.wall_clock.call > deadline
        state = late ? :broken : :pending
        Promise.new(state: kept ? :kept : state, deadline: deadline).freeze
      end

      private

      def opened(promise, key)
        Notes.open_promise(promise, key)
      rescue Notes::Problem => e
        raise LogError.new(:bad_signature, "The promise is not signed by #{key.name}: #{e.message}.")
      end

      def tiles(checkpoint)
        Tiles.new(checkpoint.size) do |level, index, width|
          path = Tiles.path(level, index, width)
          content = tile(path)
          next content if content.bytesize == width * 32

          raise LogError.new(:forked, "The tile #{path} of the log has another length.")
        end
      end

      def in_log?(id, hash, checkpoint)
        evidence = call(OPERATIONS.fetch('getEvidence'), path: { 'id' => id })
        index = evidence['leaf_index']
        return false if evidence['canonical_hash'] != hash.unpack1('H*') || !index.between?(0, checkpoint.size - 1)

        path = tiles(checkpoint).inclusion(index)
        Merkle.included?(Merkle.leaf_hash(hash), index, checkpoint.size, path, checkpoint.root)
      rescue RefusedError, NotFoundError
        false
      end
    end
  end
end
