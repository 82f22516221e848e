# frozen_string_literal: true

require 'zlib'

module Acuse
  module Verifier
    # The container of a bundle, which must read one way: docs/evidence-format.md, section 8.
    # @private
    class Container
      KIB = 1024
      MIB = 1024 * KIB
      MAX_FILE = 144 * MIB
      MAX_CONTENT = 96 * MIB
      MAX_ENTRIES = 512
      OUTCOME = 'delivery/[0-9]{2}-(?:sent|bounced|cancelled|complained|acknowledged|refused|displayed|unanswered)\.'
      # Name and bytes of each entry, in the order of the format's table.
      RULES = {
        'VERIFY\.md' => 256 * KIB,
        'report\.pdf' => 16 * MIB,
        'manifest\.json' => 64 * KIB,
        'openings\.json' => 256 * KIB,
        'message\.eml' => 32 * MIB,
        'submission\.bin' => 64 * MIB,
        'parts/[0-9]{2,3}\.bin' => 32 * MIB,
        'proof\.tlog-proof' => 320 * KIB,
        'checkpoint\.txt' => 64 * KIB,
        'history\.txt' => 128 * KIB,
        'outcomes\.note' => 64 * KIB,
        'log-end\.note' => 64 * KIB,
        '(?:message-)?constancia\.tsr' => 256 * KIB,
        'chain/(?:(?:message-)?constancia|(?:delivery|renewal)-[0-9]{2})\.pem' => 256 * KIB,
        'revocation/[a-z0-9-]{1,64}\.(?:crl|ocsp)' => 16 * MIB,
        'renewal/[0-9]{2}\.sums' => 64 * KIB,
        'renewal/[0-9]{2}\.list' => 96 * KIB,
        'renewal/[0-9]{2}\.tsr' => 256 * KIB,
        "#{OUTCOME}json" => 64 * KIB,
        "#{OUTCOME}openings\\.json" => 64 * KIB,
        "#{OUTCOME}tlog-proof" => 320 * KIB,
        "#{OUTCOME}tsr" => 256 * KIB,
        "#{OUTCOME}transcript\\.json" => 4 * MIB,
        "#{OUTCOME}dsn\\.eml" => 16 * MIB,
        'issued/(?:(?:message-)?constancia|(?:delivery|renewal)-[0-9]{2})\.bin' => 2 * MIB,
        'policy\.json' => 512 * KIB,
        'SHA256SUMS' => 256 * KIB
      }.map { |form, limit| [/\A#{form}\z/n, limit].freeze }.freeze
      REQUIRED = %w[
        VERIFY.md manifest.json openings.json proof.tlog-proof checkpoint.txt constancia.tsr
        chain/constancia.pem policy.json SHA256SUMS
      ].freeze
      # The names that every bundle has, and nothing else is likely to have.
      MARK = 'proof.tlog-proof'

      # The row of the table; nil for a name that no bundle has.
      def self.rank(name) = RULES.index { |form, _| name.ascii_only? && form.match?(name) }

      # The entries by name.
      # @param data [String] binary
      # @raise [Refused, VerifyError]
      def self.read(data) = new(data).read

      def initialize(data)
        @data = data
      end

      def read
        packed = @data.start_with?('{') || @data.include?("PK\x03\x04")
        unless packed && @data.include?(MARK)
          raise VerifyError, "The file is not a proof bundle: it has no entry #{MARK}."
        end

        need(@data.bytesize <= MAX_FILE, "more than #{MAX_FILE} bytes")
        found = @data.start_with?('{') ? json : zip
        names = found.map { |name, _| name.downcase }
        need(names.uniq.length == names.length, 'a name twice')
        need(found.sum { |_, content| content.bytesize } <= MAX_CONTENT, 'too many bytes')
        files = found.to_h
        REQUIRED.each { |name| need(files.key?(name), "#{name} is missing") }
        files
      end

      private

      def need(condition, detail) = Checking.need(condition, 'bundle', detail)

      def limit_of(name)
        row = self.class.rank(name)
        need(row, 'an entry that no bundle has')
        RULES.dig(row, 1)
      end

      def json
        form = Checking.fields(Checking.read_json(@data, 'bundle'), 'bundle', %w[entries type])
        need(form['type'] == 'acuse/bundle/v1', 'another form')
        Checking.list(form['entries'], 'bundle', MAX_ENTRIES).map { |each| json_entry(each) }
      end

      def json_entry(entry)
        need(entry.is_a?(Hash) && entry.values.all?(String), 'an entry of another form')
        kind = (entry.keys - ['name']).first
        need(entry.keys.sort == ['name', kind].compact.sort && %w[base64 text].include?(kind),
             'an entry of another form')
        content = kind == 'text' ? entry['text'].b : unbase64(entry['base64'])
        need(content.bytesize <= limit_of(entry['name']), 'an entry that is too large')
        [entry['name'], content]
      end

      def unbase64(text)
        content = text.unpack1('m0')
        need([content].pack('m0') == text, 'base64 with stray bits')
        content
      rescue ArgumentError
        raise Refused.new('bundle', 'base64 that cannot be read')
      end

      # An entry of a ZIP; `header`: what its own header must say as well.
      Entry = Struct.new(:offset, :name, :packed, :full, :header)
      private_constant :Entry

      # Each byte belongs to one entry, the directory or the end; both headers of an entry say the same.
      def zip
        listed = directory
        need(listed.sum(&:full) <= MAX_CONTENT, 'too many bytes')
        free = 0
        found = listed.sort_by(&:offset).map do |entry|
          need(entry.offset == free, 'bytes that belong to no entry, or to two')
          begins = after_header(entry)
          free = begins + entry.packed
          need(free <= @start, 'an entry goes on into the directory')
          [entry.name, content(@data.byteslice(begins, entry.packed), entry)]
        end
        need(free == @start, 'bytes that belong to no entry')
        found
      end

      def after_header(entry)
        local = @data.byteslice(entry.offset, 30)
        need(local.start_with?("PK\3\4".b) && local.byteslice(4, 24) == entry.header, 'two headers of an entry differ')
        need(local.byteslice(28, 2) == "\0\0", 'extra fields')
        begins = entry.offset + 30 + entry.name.bytesize
        need(@data.byteslice(entry.offset + 30, entry.name.bytesize) == entry.name.b, 'two names for one entry')
        begins
      end

      def directory
        ends = @data.bytesize - 22
        tail = ends.negative? ? '' : @data.byteslice(ends, 22)
        need(tail.start_with?("PK\5\6".b) && tail.end_with?("\0\0"), 'not a ZIP, or something behind it')
        disk, first, here, count, size, @start = tail.byteslice(4, 16).unpack('vvvvVV')
        need(disk.zero? && first.zero? && here == count, 'a ZIP of several disks')
        need(count <= MAX_ENTRIES, 'too many entries')
        need(@start + size == ends, 'the directory is elsewhere')
        at = @start
        listed = Array.new(count) do
          entry, at = listed_entry(at)
          entry
        end
        need(at == ends, 'the directory is damaged')
        listed
      end

      # An entry as the directory has it, and where the next one begins.
      def listed_entry(at)
        head = @data.byteslice(at, 46).to_s
        need(head.bytesize == 46 && head.start_with?("PK\1\2".b), 'the directory is damaged')
        flags, method = head.unpack('@8vv')
        packed, size, length, extra, comment, disk = head.unpack('@20VVvvvv')
        attributes, offset = head.unpack('@38VV')
        need([extra, comment, disk].all?(&:zero?), 'extra fields, a comment or a disk of its own')
        need((flags & ~0x0806).zero? && [0, 8].include?(method), 'encrypted, or packed in another way')
        plain_file(attributes)
        name = @data.byteslice(at + 46, length).to_s
        need(name.bytesize == length && size <= limit_of(name), "#{name.inspect} is too large")
        entry = Entry.new(offset, name.dup.force_encoding(Encoding::UTF_8), packed, size, head.byteslice(6, 24))
        [entry, at + 46 + length]
      end

      def plain_file(attributes)
        mode = attributes >> 16
        need([0, 0o100000].include?(mode & 0o170000) && (mode & 0o7000).zero?, 'not a plain file')
        need((attributes & 0x18).zero?, 'a folder')
      end

      def content(packed, entry)
        method, crc = entry.header.unpack('@4v@10V')
        found = method == 8 ? inflated(packed, entry.full) : packed
        whole = found.bytesize == entry.full && Zlib.crc32(found) == crc
        need(whole, 'an entry is damaged')
        found
      end

      # Never more than the directory says.
      def inflated(packed, size)
        stream = Zlib::Inflate.new(-Zlib::MAX_WBITS)
        found = String.new(encoding: Encoding::BINARY)
        stream.inflate(packed) do |chunk|
          found << chunk
          need(found.bytesize <= size, 'an entry is damaged')
        end
        need(stream.finished? && stream.total_in == packed.bytesize, 'compressed content that ends elsewhere')
        found
      rescue Zlib::Error
        raise Refused.new('bundle', 'compressed content that cannot be read')
      ensure
        stream&.reset
        stream&.close
      end
    end
  end
end
