# frozen_string_literal: true

require 'digest'
require 'openssl'
require 'support'

# Following the log, and what it promised
class LogTest < Minitest::Test
  NAME = 'log.example/acuse'
  HASH = Digest::SHA256.digest('a manifest')

  def setup
    @secret = OpenSSL::PKey.generate_key('ED25519')
    material = "\1".b + @secret.public_to_der.byteslice(-32, 32)
    @id = Digest::SHA256.digest("#{NAME}\n".b + material).byteslice(0, 4)
    @key = "#{NAME}+#{@id.unpack1('H*')}+#{[material].pack('m0')}"
    @leaves = Array.new(300) { |number| Acuse::Merkle.leaf_hash(number == 70 ? HASH : [number].pack('N')) }
  end

  def teardown = @server&.stop

  def signed(text) = "#{text}\n\u2014 #{NAME} #{[@id + @secret.sign(nil, text)].pack('m0')}\n"

  def checkpoint(size, root = root_of(@leaves.first(size))) = signed("#{NAME}\n#{size}\n#{[root].pack('m0')}\n")

  # By the definition of RFC 6962 §2.1.
  def root_of(hashes)
    return hashes.first if hashes.length == 1

    half = 1 << ((hashes.length - 1).bit_length - 1)
    Acuse::Merkle.node_hash(root_of(hashes.first(half)), root_of(hashes.drop(half)))
  end

  # A client of a log whose newest checkpoint is `note`.
  def log_of(note, evidence = nil, now: 1_000)
    @server&.stop
    @server = ScriptedServer.new { |socket, _, request| reply(socket, request[:line].split[1], note, evidence) }
    Acuse::Client.new(api_key: 'acuse_a_b', base_url: @server.url, wall_clock: -> { now }).log
  end

  def reply(socket, path, note, evidence)
    case path
    when '/log/checkpoint' then answer(socket, 200, note, 'Content-Type' => 'text/plain; charset=utf-8')
    when %r{\A/log/tile/0/(\d+)(?:\.p/(\d+))?\z}
      width = (Regexp.last_match(2) || 256).to_i
      answer(socket, 200, @leaves[Regexp.last_match(1).to_i * 256, width].join)
    when %r{/evidence\z} then evidence ? answer(socket, 200, evidence) : refuse(socket, 422, 'not_sealed')
    else refuse(socket, 404, 'not_found')
    end
  end

  def reason(&) = assert_raises(Acuse::LogError, &).reason

  def test_a_log_that_grows_is_followed_by_its_tiles
    saved = log_of(checkpoint(100)).checkpoint(@key)
    assert_equal [NAME, 100], [saved.origin, saved.size]
    [100, 101, 128, 256, 257, 300].each do |size|
      newest = log_of(checkpoint(size)).follow(Acuse::Checkpoint.load(saved.note, saved.key))
      assert_equal [size, root_of(@leaves.first(size))], [newest.size, newest.root]
    end
  end

  def test_says_in_three_ways_that_a_log_is_not_what_it_was
    saved = Acuse::Checkpoint.load(checkpoint(100), @key)
    other = Digest::SHA256.digest('other')
    assert_equal :went_back, (reason { log_of(checkpoint(99)).follow(saved) })
    assert_equal :forked, (reason { log_of(checkpoint(100, other)).follow(saved) })
    assert_equal :forked, (reason { log_of(checkpoint(120, other)).follow(saved) })
    assert_equal :bad_signature, (reason { log_of(checkpoint(120).sub("\n120\n", "\n121\n")).follow(saved) })
    assert_equal :bad_signature, (reason { log_of("nothing\n").follow(saved) })
  end

  def test_a_history_that_was_changed_is_a_fork
    saved = Acuse::Checkpoint.load(checkpoint(100), @key)
    @leaves[3] = Digest::SHA256.digest('changed')
    assert_equal :forked, (reason { log_of(checkpoint(200)).follow(saved) })
  end

  def test_tiles_of_another_length_are_a_fork
    saved = Acuse::Checkpoint.load(checkpoint(100), @key)
    newest = checkpoint(200)
    @leaves = @leaves.first(150)
    assert_equal :forked, (reason { log_of(newest).follow(saved) })
  end

  def test_a_key_that_cannot_be_one_is_refused_before_any_request
    log = log_of(checkpoint(1))
    ['x', @key.sub('+', '+0'), "#{@key}\n\n-"].each do |key|
      assert_raises(Acuse::ConfigurationError) { log.checkpoint(key) }
    end
    assert_empty @server.requests
  end

  def promise = signed("acuse/promise/v1\n#{NAME}\n#{[HASH].pack('m0')}\n2000\n")

  def message_with(promise)
    Acuse::Types::Message.from_h(vectors('examples.json')['Message']['full'].merge('promise' => promise))
  end

  def evidence(index)
    full = vectors('examples.json')['Evidence']['full']
    full.merge('canonical_hash' => HASH.unpack1('H*'), 'leaf_index' => index)
  end

  def state(evidence, now)
    log = log_of(checkpoint(100), evidence, now: now)
    log.check_promise(message_with(promise), log.checkpoint(@key)).state
  end

  def test_a_promise_is_kept_pending_or_broken
    assert_equal :kept, state(evidence(70), 3_000)
    assert_equal :pending, state(nil, 1_000)
    assert_equal :broken, state(nil, 3_000)
    assert_equal :broken, state(evidence(71), 3_000)
    assert_equal :pending, state(evidence(100), 1_000)
  end

  def test_a_promise_of_another_is_no_promise
    log = log_of(checkpoint(100))
    point = log.checkpoint(@key)
    assert_raises(Acuse::ConfigurationError) { log.check_promise(message_with(nil), point) }
    forged = promise.sub("\n2000\n", "\n2001\n")
    assert_equal :bad_signature, (reason { log.check_promise(message_with(forged), point) })
  end
end
