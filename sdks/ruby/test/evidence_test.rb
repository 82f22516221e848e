# frozen_string_literal: true

require 'digest'
require 'support'

# The parts of a verification, against contract/vectors
class EvidenceTest < Minitest::Test
  def hex(text) = [text].pack('H*')

  def test_takes_no_signature_that_the_format_forbids
    vectors('ed25519.json')['cases'].each do |each|
      found = Acuse::Ed25519.signed?(*each.values_at('public_key', 'signature', 'message').map { |text| hex(text) })
      assert_equal each['valid'], found, each['why']
    end
  end

  def test_canonical_json_is_what_the_vectors_say
    found = vectors('canonical.json')
    found['refused'].each do |each|
      assert_raises(Acuse::Verifier::Refused, each['name']) do
        Acuse::Verifier::Checking.read_canonical(each['text'], 'manifest')
      end
    end
    documents = found['canonical'].select { |each| plain?(each['value']) }
    refute_empty documents
    documents.each do |each|
      assert_equal each['canonical'], Acuse::Verifier::StrictJson.canonical(each['value']), each['name']
      assert_equal each['value'], Acuse::Verifier::Checking.read_canonical(each['canonical'], 'manifest')
    end
  end

  # The values of the format's documents: keys are ASCII, numbers whole.
  def plain?(value)
    case value
    when Hash then value.keys.all?(&:ascii_only?) && value.values.all? { |each| plain?(each) }
    when Array then value.all? { |each| plain?(each) }
    else !value.is_a?(Float)
    end
  end

  def test_reads_json_in_one_way
    ['{"a":1,"a":1}', '"\ud800"', '"\udc00\ud800"', '01', '1.0', '1e1', '[1,]', '{"a"}', "\"\n\"", '"\x"', '[1] 2',
     '/* */1', 'NaN', '"a', "#{'[' * 100}#{']' * 100}", "\"\xff\"", '1' * 40, '', "\ufeff1"].each do |text|
      assert_raises(Acuse::Verifier::StrictJson::Invalid, text) { Acuse::Verifier::StrictJson.parse(text) }
    end
    text = %( { "a" : [ 1 , -2, true,false,null, "\\ud83d\\ude00\\n\u00e9" ] } )
    assert_equal({ 'a' => [1, -2, true, false, nil, "\u{1f600}\n\u00e9"] }, Acuse::Verifier::StrictJson.parse(text))
  end

  def test_reads_the_layers_of_messages
    vectors('messages.json').each do |each|
      message = each['message'].unpack1('m0')
      layers = { 'header' => :relaxed_header, 'body' => :relaxed_body }
      layers.each do |name, read|
        hash = Digest::SHA256.hexdigest(Acuse::Verifier::Message.public_send(read, message))
        assert_equal each["#{name}_sha256"], hash, "#{each['name']}: #{name}"
      end
      assert_equal each['parts'], Acuse::Verifier::Message.parts(message), each['name']
    end
  end

  def test_reads_texts_in_three_charsets_and_says_of_others_that_it_does_not
    read = ->(charset, body) { Acuse::Verifier::Message.parts("Content-Type: text/plain; #{charset}\r\n\r\n#{body}".b) }
    euro = Digest::SHA256.hexdigest("\u20ac")
    ['charset=latin1', 'charset="WINDOWS-1252"', 'charset=l1'].each do |label|
      assert_equal euro, read.call(label, "\x80").first['sha256'], label
    end
    kept = Digest::SHA256.hexdigest("\x80".b)
    ['charset=utf-8', 'charset=us-ascii', ''].each do |label|
      assert_equal kept, read.call(label, "\x80").first['sha256'], label
    end
    %w[koi8-r shift_jis utf-16le x-unknown].each do |label|
      assert_raises(Acuse::Verifier::NotChecked, label) { read.call("charset=#{label}", 'x') }
    end
  end

  def test_proves_trees
    found = vectors('merkle.json')
    found['inclusion'].each do |each|
      path = each['path'].map { |text| hex(text) }
      leaf, root = each.values_at('leaf_hash', 'root').map { |text| hex(text) }
      held = Acuse::Merkle.included?(leaf, each['index'], each['size'], path, root)
      assert_equal each['valid'], held, each['why']
    end
    found['consistency'].each do |each|
      path = each['path'].map { |text| hex(text) }
      old, root = each.values_at('old_root', 'new_root').map { |text| hex(text) }
      held = Acuse::Merkle.consistent?(each['old_size'], old, each['new_size'], root, path)
      assert_equal each['valid'], held, each['why']
    end
  end

  def test_names_tiles
    found = vectors('tiles.json')
    [*found['tiles'], *found['paths']].select { |each| each['level'].is_a?(Integer) }.each do |each|
      assert_equal each['path'], "tile/#{Acuse::Tiles.path(*each.values_at('level', 'index', 'width'))}"
    end
  end

  def test_reads_notes
    found = vectors('notes.json')
    keys = found.values_at('log_key', 'witness_key').map { |text| Acuse::Notes.parse_key(text) }
    found['cases'].each { |each| assert_equal each['valid'], note?(each, keys), each['why'] }
  end

  def test_white_space_around_a_pinned_key_is_no_part_of_it
    found = vectors('notes.json')
    key = found['log_key']
    note = found['cases'].find { |each| each['kind'] == 'checkpoint' && each['valid'] }['note']
    ['', ' ', "\t", "\n", "\r\n", " \t\r\n"].each do |around|
      checkpoint = Acuse::Checkpoint.load(note, around + key + around)
      assert_equal [100, key], [checkpoint.size, checkpoint.key]
    end
    wrong = ['', " \r\n", nil, key.sub('+', '+ '), "#{key}\n#{key}", "#{key}\u00a0", "#{key}\0", "#{key}\xff"]
    [*wrong, found['witness_key']].each do |text|
      error = assert_raises(Acuse::ConfigurationError) { Acuse::Checkpoint.load(note, text) }
      assert_includes error.message, 'name+id+base64'
    end
  end

  def note?(each, keys)
    data = each['note'].b
    return proof?(data, keys) if each['kind'] == 'proof'

    return promise?(each, keys.first) if each['kind'] == 'promise'

    note = Acuse::Notes.parse_note(data)
    origin = Acuse::Notes.parse_tree_head(note.text).origin
    return false if each['kind'] == 'cosigned' && Acuse::Notes.signers(note, keys, 4).empty?

    Acuse::Notes.signers(note, keys, 1).map(&:name).include?(origin)
  rescue Acuse::Notes::Problem
    false
  end

  def promise?(each, key)
    _, hash, deadline = Acuse::Notes.open_promise(each['note'], key)
    each['says'] == { 'canonical_hash' => hash.unpack1('H*'), 'deadline' => deadline }
  end

  def proof?(data, keys)
    proof = Acuse::Notes.parse_proof(data)
    head = Acuse::Notes.parse_tree_head(proof.note.text)
    leaf = Acuse::Merkle.leaf_hash(Digest::SHA256.digest('entry 7'))
    held = Acuse::Merkle.included?(leaf, proof.index, head.size, proof.path, head.root)
    held && Acuse::Notes.signers(proof.note, keys, 1).map(&:name).include?(head.origin)
  end
end
