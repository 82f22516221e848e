# frozen_string_literal: true

module Acuse
  module Verifier
    # Whom to trust: log keys, time-stamping authorities, witnesses.
    class Policy
      # Keys or authorities of one kind.
      MAX_PINNED = 16
      MAX_OF_AUTHORITY = 32
      OID = /\A[0-2](?:\.(?:0|[1-9][0-9]*)){1,20}\z/
      HASHES = %w[sha256 sha384 sha512].freeze
      WINDOW = %w[from until].freeze
      NAME = /\A[^\p{Cc}]{1,200}\z/
      CERTIFICATE = %r{-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----}
      private_constant :NAME, :CERTIFICATE, :MAX_PINNED, :MAX_OF_AUTHORITY, :OID, :HASHES, :WINDOW

      # @private
      attr_reader :log_keys, :second_keys, :authorities, :witness_keys, :quorum, :reached

      class << self
        # Your policy, of a file.
        # @param path [String]
        # @return [Policy]
        # @raise [ConfigurationError]
        def load(path)
          from_h(StrictJson.parse(File.binread(path)))
        rescue SystemCallError, StrictJson::Invalid => e
          raise ConfigurationError, "The policy #{path} cannot be read: #{e.message}"
        end

        # Your policy, of its JSON (`acuse/policy/v1`). It asks for its whole quorum.
        # @param value [Hash]
        # @return [Policy]
        # @raise [ConfigurationError]
        def from_h(value)
          new(value, pinned: true)
        rescue Refused => e
          raise ConfigurationError, "This is not a policy: #{e.message}."
        end
      end

      # @private
      # @raise [Refused]
      def initialize(value, pinned: false)
        names = %w[log_keys time_stamps type witness_keys witness_quorum]
        root = fields(value, names, ['witness_reached'])
        need(root['type'] == 'acuse/policy/v1', 'another type')
        keys = list(root['log_keys']).map { |each| key(each, Notes::LOG_KEY, Notes::SECOND_KEY) }
        @log_keys, @second_keys = keys.partition { |each| each.kind == Notes::LOG_KEY }
        @witness_keys = list(root['witness_keys']).map { |each| key(each, Notes::WITNESS_KEY) }
        need(@witness_keys.uniq(&:key).length == @witness_keys.length, 'one key under two names')
        need(@witness_keys.uniq(&:name).length == @witness_keys.length, 'one witness with two keys')
        own = @witness_keys.product(@log_keys).any? { |one, log| one.key == log.key || one.host == log.host }
        need(!own, 'a log is its own witness')
        @authorities = list(root['time_stamps']).map { |each| authority(each) }
        read_quorum(root, pinned)
        freeze
      end

      # ML-DSA-44 keys of this name that must have signed too. At nil, none: the time cannot be read, which is refused
      # anyway.
      # @private
      def second_keys_at(name, at)
        at.nil? ? [] : second_keys.select { |key| key.name == name && key.trusted?(at) }
      end

      # Operators of witnesses that must have cosigned.
      # @private
      def required = reached || quorum

      # @return [String]
      def inspect = "#<#{self.class} logs=#{log_keys.map(&:name)} witnesses=#{witness_keys.map(&:name)}>"

      private

      def need(condition, detail) = Checking.need(condition, 'trust', detail)
      def fields(value, required, optional = []) = Checking.fields(value, 'trust', required, optional)
      def list(value, most = MAX_PINNED) = Checking.list(value, 'trust', most)

      def read_quorum(root, pinned)
        @quorum = Checking.whole(root['witness_quorum'], 'trust')
        return unless root.key?('witness_reached')

        reached = Checking.whole(root['witness_reached'], 'trust')
        need(reached < @quorum, 'a quorum that was reached')
        @reached = reached unless pinned
      end

      # A text alone is the form of older bundles.
      def key(value, *kinds)
        form = fields(value.is_a?(String) ? { 'key' => value } : value, ['key'], WINDOW)
        key = Notes.parse_key(Checking.text(form['key'], 'trust'))
        need(kinds.include?(key.kind), 'a key of another kind')
        key.window = window(form)
        key.freeze
      rescue Notes::Problem => e
        raise Refused.new('trust', "a key: #{e.message}")
      end

      # When a key or an authority is trusted, `until` not included.
      def window(form)
        from, to = WINDOW.map { |name| Checking.moment(form[name], 'trust') if form.key?(name) }
        need(from.nil? || to.nil? || from < to, 'until is not after from')
        (from...to)
      end

      def authority(value)
        optional = %w[development leafEku policies hashAlgorithms nonce revocation] + WINDOW
        found = fields(value, %w[profile name roots], optional)
        need(%w[rfc3161 nom151].include?(found['profile']), 'another profile')
        Checking.text(found['name'], 'trust', NAME)
        roots = list(found['roots'], MAX_OF_AUTHORITY)
        need(!roots.empty?, 'an authority pins no root')
        roots.each { |root| need(CERTIFICATE.match?(Checking.text(root, 'trust')), 'a root is no certificate') }
        %w[leafEku policies].each do |name|
          list(found.fetch(name, []), MAX_OF_AUTHORITY).each { |oid| Checking.text(oid, 'trust', OID) }
        end
        hashes = list(found.fetch('hashAlgorithms', []), MAX_OF_AUTHORITY)
        need((hashes - HASHES).empty?, 'another hash')
        flags = %w[development nonce].map { |name| found.fetch(name, false) }
        need((flags - [true, false]).empty?, 'development or nonce is not true or false')
        need(found.fetch('revocation', 'required') == 'required', 'revocation says something else')
        window(found)
        found
      end
    end
  end
end
