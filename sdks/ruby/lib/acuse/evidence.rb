# frozen_string_literal: true

require 'tempfile'

module Acuse
  module Resources
    # Operations of evidence.
    class Evidence
      # Seconds between two looks.
      WAITS = [1, 2, 3, 5].freeze
      private_constant :WAITS

      # Writes the proof bundle to a file: beside it first, synced, then renamed, so that a stream that is cut
      # leaves nothing.
      # @param id [String] of the message
      # @param path [String]
      # @return [Integer] bytes written
      # @raise [ConfigurationError] the file cannot be written
      def download_bundle(id, path)
        Tempfile.create(['.acuse-', '.part'], File.dirname(path), binmode: true) do |file|
          size = stream_to(file, id)
          file.chmod(0o666 & ~File.umask)
          file.fsync
          file.close
          File.rename(file.path, path)
          size
        end
      rescue SystemCallError => e
        raise ConfigurationError, "The bundle cannot be written: #{e.message}"
      end

      # Asks until the message is sealed; at once for a plain message, which never is.
      # @param within [Numeric] seconds
      # @return [Types::Message]
      # @raise [RefusedError] not_certified: the message is plain
      # @raise [TimeoutError] it was not sealed in time
      def wait_until_sealed(id, within: 120)
        ends = @core.options.clock.call + within
        (0..).each do |look|
          message = Messages.new(@core).get(id)
          return message if message['sealed_at']
          raise RefusedError.new(422, 'not_certified', 'A plain message is never sealed.') unless message['certified']

          wait = WAITS[[look, WAITS.length - 1].min]
          if @core.options.clock.call + wait > ends
            raise TimeoutError.new("The message was not sealed within #{within} s: ask again later.", phase: :receive)
          end

          @core.options.sleep.call(wait)
        end
      end

      private

      def stream_to(file, id)
        size = 0
        answer(
          OPERATIONS.fetch('getProofBundle'), path: { 'id' => id },
          sink: ->(chunk) { size += file.write(chunk) },
          rewind: lambda {
            file.rewind
            file.truncate(0)
            size = 0
          }
        )
        size
      end
    end
  end
end
