# frozen_string_literal: true

require 'support'
require 'tmpdir'

# Calls against a server that loses, cuts and refuses.
class CallsTest < Minitest::Test
  MESSAGE = { from: 'billing@sandbox.test', to: 'delivered@sandbox.test', subject: 'Invoice 1', text: 'Hello.' }.freeze
  EXAMPLES = vectors('examples.json')
  EXAMPLE = EXAMPLES['Message']['full']

  def page(data, next_cursor)
    EXAMPLES['MessagePage']['minimal'].merge('data' => data, 'next_cursor' => next_cursor)
  end

  def batch(results)
    made = results.each_with_index.map do |each, at|
      EXAMPLES['BatchItemResult']['minimal'].merge('index' => at, **each)
    end
    EXAMPLES['BatchResult']['minimal'].merge('results' => made)
  end

  CREATED = { 'status' => 'created', 'message' => EXAMPLE }.freeze
  FAILED = { 'status' => 'failed', 'error' => { 'code' => 'unavailable', 'message' => 'No.' } }.freeze

  def setup
    @sleeps = []
    @events = []
  end

  def teardown
    @server&.stop
  end

  def client(**options, &)
    @server = ScriptedServer.new(&)
    Acuse::Client.new(
      api_key: 'acuse_abc_canary', base_url: @server.url, sleep: ->(seconds) { @sleeps << seconds },
      random: -> { 0 }, on_attempt: ->(event) { @events << event }, **options
    )
  end

  def test_send_returns_the_message_and_the_replay_indicator
    acuse = client do |socket, number|
      next answer(socket, 200, EXAMPLE, 'Idempotent-Replayed' => 'true') if number == 2

      answer(socket, 201, EXAMPLE, 'Request-Id' => 'req_1')
    end
    first = acuse.messages.send_message(MESSAGE, 'invoice-1')
    again = acuse.messages.send_message(MESSAGE, 'invoice-1')
    refute_predicate first, :replayed?
    assert_predicate again, :replayed?
    assert_equal EXAMPLE['id'], first.message.id
    assert_equal 'req_1', first.request_id
    assert_equal %w[invoice-1 invoice-1], @server.requests.map { |each| each[:headers]['idempotency-key'] }
    assert_equal 1, @server.connections
    assert_equal MESSAGE.transform_keys(&:to_s), JSON.parse(@server.requests[0][:body])
  end

  def test_without_a_key_one_is_made_and_kept_over_all_attempts
    acuse = client { |socket, number| number < 3 ? nil : answer(socket, 200, EXAMPLE, 'Idempotent-Replayed' => 'true') }
    sent = acuse.messages.send_message(MESSAGE)
    assert_match(/\Aauto_[0-9a-f-]{36}\z/, sent.idempotency_key)
    assert_equal 3, sent.attempts
    assert_equal [sent.idempotency_key], @server.requests.map { |each| each[:headers]['idempotency-key'] }.uniq
    assert_equal %w[1 2 3], @server.requests.map { |each| each[:headers]['acuse-attempt'] }
    assert_equal [0.25, 0.5], @sleeps
  end

  def test_answers_lost_for_good_give_the_key_to_try_again_with
    acuse = client { |_, _| nil }
    error = assert_raises(Acuse::ConnectionError) { acuse.messages.send_message(MESSAGE, 'k') }
    assert_equal 'k', error.idempotency_key
    assert_predicate error, :outcome_unknown?
    assert_equal 4, error.attempts
    assert_equal 4, @server.requests.length
    assert_equal %w[ConnectionError] * 4, @events.map(&:error)
  end

  def test_an_operation_that_runs_once_is_not_repeated_when_its_answer_is_lost
    acuse = client { |_, _| nil }
    error = assert_raises(Acuse::ConnectionError) { acuse.webhooks.create({ url: 'https://a.test' }) }
    assert_equal 1, error.attempts
    assert_predicate error, :outcome_unknown?
  end

  def test_a_body_that_was_cut_is_a_lost_answer
    acuse = client do |socket, number|
      next answer(socket, 200, EXAMPLE) if number > 1

      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"id\":\"0193")
      nil
    end
    assert_equal EXAMPLE['id'], acuse.messages.get('a').id
    assert_equal 2, @server.requests.length
  end

  def test_a_chunked_body_that_was_cut_is_a_lost_answer
    acuse = client do |socket, number|
      next answer(socket, 200, EXAMPLE) if number > 1

      socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"id\"\r\n")
      nil
    end
    assert_equal EXAMPLE['id'], acuse.messages.get('a').id
  end

  def test_silence_is_a_timeout
    acuse = client(timeout: 0.05, max_retries: 0) { |_, _| sleep(5) }
    error = assert_raises(Acuse::TimeoutError) { acuse.messages.send_message(MESSAGE, 'k') }
    assert_equal :receive, error.phase
    assert_predicate error, :outcome_unknown?
  end

  def test_a_delete_that_got_through_has_succeeded
    acuse = client { |socket, number| number == 1 ? nil : refuse(socket, 404, 'not_found') }
    assert_nil acuse.domains.delete('a')
  end

  def test_retry_after_is_a_lower_bound_and_an_hour_is_too_long
    acuse = client do |socket, number|
      case number
      when 1 then refuse(socket, 429, 'rate_limited', 'Retry-After' => '2')
      when 2 then answer(socket, 200, EXAMPLE)
      else refuse(socket, 503, 'unavailable', 'Retry-After' => '3600')
      end
    end
    acuse.messages.get('a')
    assert_equal [2.0], @sleeps
    error = assert_raises(Acuse::UnavailableError) { acuse.messages.get('a') }
    assert_in_delta 3600.0, error.retry_after
    assert_equal 1, error.attempts
  end

  def test_each_code_has_a_class_and_a_fix
    given = nil
    acuse = client(max_retries: 0) { |socket, _| refuse(socket, *given) }
    Acuse::FIXES.each do |code, (status, fix)|
      given = [status, code]
      error = assert_raises(Acuse::ApiError) { acuse.account.get }
      assert_equal [status, code, fix], [error.status, error.code, error.fix]
      refute_instance_of Acuse::ApiError, error, code
    end
  end

  def test_what_another_program_answers_is_told_by_its_status_without_its_html
    acuse = client(max_retries: 0) { |socket, _| answer(socket, 500, '<html>secret</html>') }
    error = assert_raises(Acuse::ServerError) { acuse.account.get }
    assert_equal 'http_500', error.code
    refute_includes error.message, 'secret'
  end

  def test_a_success_that_is_not_what_the_contract_says
    body = nil
    acuse = client { |socket, _| answer(socket, 200, body) }
    ['[]', '{}', '<html>', "\xff", 'null'].each do |each|
      body = each
      assert_raises(Acuse::ProtocolError) { acuse.messages.get('a') }
    end
    assert_equal 5, @server.requests.length
  end

  def test_a_redirect_is_not_followed
    acuse = client { |socket, _| answer(socket, 307, '', 'Location' => 'http://127.0.0.1:1/') }
    assert_raises(Acuse::ProtocolError) { acuse.messages.get('a') }
    assert_equal 1, @server.requests.length
  end

  def test_a_list_is_read_as_far_as_it_is_looked_at
    acuse = client do |socket, number|
      answer(socket, 200, page([EXAMPLE, EXAMPLE], number == 3 ? nil : "c#{number}"))
    end
    assert_equal 2, acuse.messages.list(limit: 2).first(2).length
    assert_equal 1, @server.requests.length
    assert_includes @server.requests[0][:line], 'GET /v1/messages?limit=2 '
    assert_equal 4, acuse.messages.list.to_a.length
    assert_includes @server.requests[2][:line], 'after=c2'
  end

  def test_a_cursor_that_comes_again_is_an_error
    acuse = client { |socket, _| answer(socket, 200, page([], 'c')) }
    assert_raises(Acuse::ProtocolError) { acuse.messages.list.to_a }
    assert_equal 2, @server.requests.length
  end

  def test_a_batch_is_cut_and_answers_each_item_in_order
    acuse = client do |socket, _, request|
      items = JSON.parse(request[:body])['messages']
      answer(socket, 200, batch(items.map { CREATED }))
    end
    entries = acuse.messages.send_batch(([MESSAGE] * 249) + [{ text: "\xff" }])
    assert_equal 250, entries.length
    assert_equal((%w[created] * 249) + %w[failed], entries.map(&:status))
    assert_equal [100, 100, 49], @server.requests.map { |each| JSON.parse(each[:body])['messages'].length }
    assert_equal 249, entries.first(249).map(&:idempotency_key).uniq.length
    assert_instance_of Acuse::ConfigurationError, entries.last.error
  end

  def test_items_that_failed_for_now_are_tried_again_under_their_key
    acuse = client do |socket, number, request|
      items = JSON.parse(request[:body])['messages']
      results = items.map { |item| number == 2 || item['idempotency_key'] == 'a' ? CREATED : FAILED }
      answer(socket, 200, batch(results))
    end
    entries = acuse.messages.send_batch([MESSAGE.merge(idempotency_key: 'a'), MESSAGE.merge(idempotency_key: 'b')])
    assert_equal %w[created created], entries.map(&:status)
    assert_equal ['b'], JSON.parse(@server.requests[1][:body])['messages'].map { |item| item['idempotency_key'] }
  end

  def test_a_request_lost_for_good_leaves_its_items_unknown
    acuse = client { |_, _| nil }
    entries = acuse.messages.send_batch([MESSAGE, MESSAGE])
    assert_equal %w[unknown unknown], entries.map(&:status)
    assert(entries.all? { |each| each.idempotency_key.start_with?('auto_') && each.error.outcome_unknown? })
  end

  def test_a_download_that_is_cut_leaves_no_file
    Dir.mktmpdir do |folder|
      path = File.join(folder, 'proof.zip')
      acuse = client(max_retries: 0) do |socket, _|
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nPK")
        nil
      end
      assert_raises(Acuse::ConnectionError) { acuse.evidence.download_bundle('a', path) }
      assert_empty Dir.children(folder)
    end
  end

  def test_a_download_is_whole_after_one_that_was_cut
    Dir.mktmpdir do |folder|
      path = File.join(folder, 'proof.zip')
      acuse = client do |socket, number|
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n#{number == 1 ? 'PK' : 'PKzip!'}")
        nil
      end
      assert_equal 6, acuse.evidence.download_bundle('a', path)
      assert_equal ['proof.zip'], Dir.children(folder)
      assert_equal 'PKzip!', File.binread(path)
    end
  end

  def test_a_server_that_is_down_is_not_asked_four_times_by_each_call
    acuse = client { |socket, _| refuse(socket, 500, 'internal_error') }
    200.times { assert_raises(Acuse::ServerError) { acuse.account.get } }
    assert_equal 300, @server.requests.length
  end

  def test_fifty_threads_keep_at_most_fifty_connections
    acuse = client { |socket, _| answer(socket, 200, EXAMPLE) }
    Array.new(50) { Thread.new { 20.times { acuse.messages.get('a') } } }.each(&:join)
    assert_equal 1_000, @server.requests.length
    assert_operator @server.connections, :<=, 50
  end

  def test_a_thread_that_is_ended_gives_its_connection_back_closed
    acuse = client { |_, _| sleep(5) }
    thread = Thread.new { acuse.messages.get('a') }
    sleep(0.01) until @server.requests.length == 1
    thread.kill.join
    assert_empty @sleeps
    assert_empty @events
  end

  def test_what_is_printed_shows_no_secret
    acuse = client(max_retries: 0) { |socket, _| refuse(socket, 401, 'unauthorized') }
    error = assert_raises(Acuse::AuthenticationError) { acuse.account.get }
    event = Acuse::WebhookEvent.new(type: 'whsec_canary=')
    [acuse, error, error.full_message, acuse.messages, event, @events].each do |each|
      refute_includes "#{each}#{each.inspect}", 'canary'
    end
  end

  def test_a_hook_that_raises_changes_nothing
    acuse = client(on_attempt: ->(_) { raise 'no' }) { |socket, _| answer(socket, 200, EXAMPLE) }
    assert_equal EXAMPLE['id'], acuse.messages.get('a').id
  end
end

# Refusals before any request.
class ConfigurationTest < Minitest::Test
  def refused(**options)
    assert_raises(Acuse::ConfigurationError) { Acuse::Client.new(**{ api_key: 'acuse_a_b' }.merge(options)) }
  end

  def test_keys_and_addresses_that_cannot_be_right
    ENV.delete('ACUSE_API_KEY')
    ['', "acuse_a_b\n", 'acuse a', "acuse_\u00e9"].each { |key| refused(api_key: key) }
    refused(api_key: nil)
    %w[ftp://a.test https://u:p@a.test https://a.test?x=1 https://a.test#x http://a.test http://127.0.0.1.a.test
       nonsense].each { |url| refused(base_url: url) }
    refused(max_retries: -1)
    refused(timeout: 0)
    refused(app_info: "a\r\nb")
    refused(colour: 'green')
    %w[http://localhost http://127.0.0.9 http://[::1]:8025 https://a.test/].each do |url|
      Acuse::Client.new(api_key: 'acuse_a_b', base_url: url)
    end
  end

  def test_keys_of_sends_are_printable_ascii
    acuse = Acuse::Client.new(api_key: 'acuse_a_b', base_url: 'http://127.0.0.1:1')
    ["a\r\nb", "\u00e9", '', 'x' * 256].each do |key|
      assert_raises(Acuse::ConfigurationError) { acuse.messages.send_message({}, key) }
    end
  end

  def test_a_view_has_other_options_over_the_same_connections
    acuse = Acuse::Client.new(api_key: 'acuse_a_b', base_url: 'http://localhost')
    view = acuse.with_options(max_retries: 0)
    assert_instance_of Acuse::Client, view
    refute_same acuse.messages, view.messages
    assert_raises(Acuse::ConfigurationError) { acuse.with_options(base_url: 'http://localhost') }
  end

  def test_covers_every_operation
    acuse = Acuse::Client.new(api_key: 'acuse_a_b', base_url: 'http://localhost')
    Acuse::OPERATIONS.each_value do |operation|
      resource, name = operation.name.split('.').map { |each| each.gsub(/[A-Z]/) { |letter| "_#{letter.downcase}" } }
      name = 'send_message' if name == 'send'
      assert_respond_to acuse.public_send(resource), name, operation.name
    end
  end
end
