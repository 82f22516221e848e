# frozen_string_literal: true

require 'digest'

module Acuse
  # Signed notes, checkpoints, promises and proofs of the log: docs/evidence-format.md, section 6.
  # @private
  module Notes
    # The fault in a note.
    class Problem < StandardError; end

    MAX_NOTE_BYTES = 256 * 1024
    MAX_SIGNATURES = 100
    MAX_PROOF_BYTES = 320 * 1024
    MAX_NAME_BYTES = 255
    LOG_KEY = 1
    WITNESS_KEY = 4
    # The second key of a log, of ML-DSA-44.
    SECOND_KEY = 6
    KEY_BYTES = { LOG_KEY => 32, WITNESS_KEY => 32, SECOND_KEY => 1312 }.freeze
    MLDSA44_SIGNATURE_BYTES = 2420
    NO_NAME = /[[:space:]]|[[:cntrl:]]|\+/
    WHOLE = /(?:0|[1-9][0-9]{0,15})/
    MAX_PROMISE_GROUP = 65_536
    GROUP_HEADER = "acuse/promise/v2\n".b
    GROUP_PROOF = %r{\Aacuse/promise/v2\nentry ([^\n]+)\nindex (0|[1-9][0-9]{0,4})((?:\n[^\n]+){1,16})\z}n
    GROUP_TEXT = %r{
      \Aacuse/promise-group/v1\n([^\n]+)\n([1-9][0-9]{0,4})\n([^\n]+)\n([1-9][0-9]{0,11})\n\z
    }x

    # The signer: `name+<hex key id>+<base64 of type and key>`. `window`: when it is trusted, as a range of
    # milliseconds since 1970, or nil.
    Key = Struct.new(:name, :id, :kind, :key, :window) do
      # The host in the name: what one operator runs counts once.
      def operator = name.split('/', 2).first.downcase

      # Without a port, and without the dot that a full name may end in.
      def host = operator.split(':', 2).first.to_s.delete_suffix('.')

      # @param at [Integer] milliseconds since 1970
      def trusted?(at) = window.nil? || window.cover?(at)

      # The same key as one of a witness, which is how a log counts outcomes.
      def as_witness
        Key.new(name, Notes.key_id(name, WITNESS_KEY.chr + key), WITNESS_KEY, key, window)
      end
    end
    # A text, and key id with signature by the name that stands with it.
    Note = Struct.new(:text, :signatures)
    # The content of a checkpoint.
    TreeHead = Struct.new(:origin, :size, :root)
    # That an entry is in a log.
    Proof = Struct.new(:index, :path, :note)

    module_function

    def need(condition, problem)
      raise Problem, problem unless condition
    end

    # RFC 4648 §4, in its one spelling.
    # @raise [Problem]
    def unbase64(text)
      data = text.unpack1('m0')
      need([data].pack('m0') == text, 'not base64 in its one spelling')
      data
    rescue ArgumentError
      raise Problem, 'not base64'
    end

    # May a key or a log be called that?
    def name?(text, most = MAX_NAME_BYTES)
      text.valid_encoding? && text.bytesize.between?(1, most) && !text.match?(NO_NAME)
    end

    def key_id(name, material) = Digest::SHA256.digest("#{name}\n".b + material).byteslice(0, 4)

    # @raise [Problem]
    def parse_key(text)
      match = text.valid_encoding? && text.match(%r{\A([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)\z})
      need(match && name?(match[1]), 'not a verifier key')
      material = unbase64(match[3])
      need(!material.empty? && material.bytesize == 1 + KEY_BYTES.fetch(material.getbyte(0), -1),
           'not an Ed25519 or ML-DSA-44 key')
      id = key_id(match[1], material)
      need(id.unpack1('H*') == match[2], "a key id that is not the key's")
      Key.new(match[1], id, material.ord, material.byteslice(1..))
    end

    # @raise [Problem]
    def parse_note(data)
      need(data.bytesize <= MAX_NOTE_BYTES, 'too long')
      whole = data.dup.force_encoding(Encoding::UTF_8)
      need(whole.valid_encoding?, 'not UTF-8')
      need(!whole.match?(/[\u0000-\u0009\u000b-\u001f]/), 'control characters')
      text, found, signatures = whole.rpartition("\n\n")
      need(!found.empty? && signatures.end_with?("\n"), 'not a signed note')
      lines = signatures.delete_suffix("\n").split("\n", -1)
      need(lines.length <= MAX_SIGNATURES, 'too many signatures')
      Note.new("#{text}\n", lines.map { |line| signature(line) })
    end

    def signature(line)
      match = line.match(/\A\u2014 ([^ ]+) ([^ ]+)\z/)
      need(match && name?(match[1]), 'not a signature line')
      data = unbase64(match[2])
      need(data.bytesize >= 5, 'a signature that is too short')
      [match[1], data]
    end

    # Those of the keys that signed, each once.
    # @raise [Problem] one signed falsely, or twice
    def signers(note, keys, kind)
      keys.select { |key| key.kind == kind && signed_by?(note, key) }
    end

    # Seconds since 1970 at which each of the witnesses cosigned, by its key.
    # @raise [Problem] one signed falsely, or twice
    def cosigned(note, witnesses)
      signers(note, witnesses, WITNESS_KEY).to_h do |key|
        [key, signatures_of(note, key).first.unpack1('Q>')]
      end
    end

    # The signature in the note by the name and id of the key.
    def signatures_of(note, key)
      own = note.signatures.select { |name, data| name == key.name && data.byteslice(0, 4) == key.id }
      own.map { |_, data| data.byteslice(4..) }
    end

    def signed_by?(note, key)
      own = signatures_of(note, key)
      need(own.length < 2, "#{key.name} signed twice")
      return false if own.empty?

      signature = own.first
      message = note.text.b
      signature, message = of_witness(key, signature, message) if key.kind == WITNESS_KEY
      need(Ed25519.signed?(key.key, signature, message), "the signature of #{key.name} does not verify")
      true
    end

    # When the second key of a log signed, in seconds since 1970: once, a text of three lines. The signature itself
    # is not checked: not every OpenSSL that Ruby runs on has ML-DSA-44.
    # @raise [Problem]
    def second_signed(note, key)
      own = signatures_of(note, key)
      once = own.length == 1 && own.first.bytesize == 8 + MLDSA44_SIGNATURE_BYTES
      need(once, "not signed once by the ML-DSA-44 key of #{key.name}")
      need(note.text.count("\n") == 3, 'extension lines, which ML-DSA-44 signatures do not cover')
      time = own.first.unpack1('Q>')
      need(time < 2**53, 'an ML-DSA-44 signature without a time')
      time
    end

    def of_witness(key, signature, message)
      need(signature.bytesize == 72, "the cosignature of #{key.name} has another length")
      time = signature.unpack1('Q>')
      need(time < 2**53, "the cosignature of #{key.name} has no time")
      [signature.byteslice(8..), "cosignature/v1\ntime #{time}\n".b + message]
    end

    # A checkpoint's text. Lines after the third are extensions and mean nothing.
    # @raise [Problem]
    def parse_tree_head(text, most = MAX_NAME_BYTES)
      lines = text.delete_suffix("\n").split("\n", -1)
      need(text.end_with?("\n") && lines.length >= 3 && !lines.include?(''), 'not a checkpoint')
      need(name?(lines[0], most), 'not a checkpoint')
      need(lines[1].match?(/\A#{WHOLE}\z/o) && lines[1].to_i < 2**53, 'not the size of a tree')
      root = unbase64(lines[2])
      need(root.bytesize == 32, 'not a root')
      need(lines[1] != '0' || root == Merkle::EMPTY, 'not the root of an empty tree')
      TreeHead.new(lines[0], lines[1].to_i, root)
    end

    # Origin, canonical hash and deadline in Unix seconds.
    # @raise [Problem]
    def parse_promise(text)
      lines = text.split("\n", -1)
      need(lines.length == 5 && lines[0] == 'acuse/promise/v1' && lines[4].empty?, 'not a promise')
      hash = unbase64(lines[2])
      sound = name?(lines[1]) && hash.bytesize == 32 && lines[3].match?(/\A[1-9][0-9]{0,11}\z/)
      need(sound, 'not a promise')
      [lines[1], hash, lines[3].to_i]
    end

    # Origin, canonical hash and deadline of one entry's promise or a group's, once the key has signed it.
    # @raise [Problem]
    def open_promise(data, key)
      return open_group_promise(data.b, key) if data.b.start_with?(GROUP_HEADER)

      note = parse_note(data)
      own(note, parse_promise(note.text), key)
    end

    def own(note, found, key)
      need(found.first == key.name, 'it is of another log')
      need(!signers(note, [key], LOG_KEY).empty?, 'not signed by the pinned key')
      found
    end

    def open_group_promise(data, key)
      head, _, rest = data.partition("\n\n")
      match = GROUP_PROOF.match(head)
      need(match, 'not a promise')
      hash = unbase64(match[1])
      path = match[3].split("\n").drop(1).map { |line| unbase64(line) }
      note = parse_note(rest)
      origin, size, root, deadline = GROUP_TEXT.match(note.text)&.captures
      need(origin && hash.bytesize == 32 && Merkle.hashes?(path), 'not a promise')
      need(size.to_i.between?(2, MAX_PROMISE_GROUP), 'not the size of a group')
      leaf = Merkle.leaf_hash(GROUP_HEADER + hash)
      held = Merkle.included?(leaf, match[2].to_i, size.to_i, path, unbase64(root))
      need(held, 'not in the group that was signed')
      own(note, [origin, hash, deadline.to_i], key)
    end

    # @raise [Problem]
    def parse_proof(data)
      need(data.bytesize <= MAX_PROOF_BYTES, 'too long')
      head, found, note = data.b.partition("\n\n")
      lines = head.split("\n", -1)
      need(!found.empty? && head.ascii_only? && lines.length.between?(2, 66), 'not a proof')
      need(lines[0] == 'c2sp.org/tlog-proof@v1', 'not a proof')
      need(lines[1].match?(/\Aindex #{WHOLE}\z/o), 'not an index')
      path = lines.drop(2).map { |line| unbase64(line) }
      need(Merkle.hashes?(path), 'not a path')
      Proof.new(lines[1].delete_prefix('index ').to_i, path, parse_note(note))
    end
  end
end
