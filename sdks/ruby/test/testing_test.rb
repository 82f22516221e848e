# frozen_string_literal: true

require_relative 'support'
require 'acuse/testing'

# The kit for tests of programs that use this library.
class TestingTest < Minitest::Test
  DRAFT = { from: 'billing@example.com', to: 'ana@example.com', subject: 'Invoice 1', text: 'Hello.' }.freeze
  SECRET = "whsec_#{['0123456789abcdef01234567'].pack('m0')}".freeze

  def setup
    @fake = Acuse::Testing::FakeAcuse.new
    @acuse = @fake.client
  end

  def test_a_send_and_its_replay
    sent = @acuse.messages.send_message(DRAFT, 'invoice-1')
    again = @acuse.messages.send_message(DRAFT, 'invoice-1')
    assert_equal [false, true], [sent.replayed?, again.replayed?]
    assert_equal sent.message.id, again.message.id
    assert_equal 'invoice-1', @acuse.messages.get(sent.message.id).idempotency_key
    assert_equal ['ana@example.com'], @fake.sent.map { |each| each['to'] }
    assert_equal ['GET', "/v1/messages/#{sent.message.id}"], @fake.requests.last
  end

  def test_a_key_belongs_to_one_message
    @acuse.messages.send_message(DRAFT, 'invoice-1')
    error = assert_raises(Acuse::RefusedError) do
      @acuse.messages.send_message(DRAFT.merge(subject: 'Invoice 2'), 'invoice-1')
    end
    assert_equal 'idempotency_key_reused', error.code
    assert_equal 1, @fake.sent.length
  end

  def test_refusals_that_pass_are_tried_again
    @fake.refuse('unavailable', times: 2)
    assert_equal 3, @acuse.messages.send_message(DRAFT, 'a').attempts
    @fake.refuse('quota_exceeded')
    assert_raises(Acuse::QuotaExceededError) { @acuse.messages.send_message(DRAFT, 'b') }
    assert_raises(ArgumentError) { @fake.refuse('no_such_code') }
    assert_equal 1, @fake.sent.length
  end

  def test_batches_and_composed_messages
    @acuse.messages.send_message(DRAFT, 'a')
    items = [DRAFT.merge(idempotency_key: 'a'), DRAFT.merge(idempotency_key: 'b'), DRAFT]
    assert_equal %w[replayed created created], @acuse.messages.send_batch(items).map(&:status)
    @acuse.messages.send_raw("Subject: x\r\n\r\nHello.\r\n", 'raw')
    assert_equal "Subject: x\r\n\r\nHello.\r\n", @fake.sent.last['raw']
    error = assert_raises(Acuse::NotFoundError) { @acuse.messages.get('0') }
    assert_match(/FakeAcuse/, error.message)
  end

  def test_threads_share_it
    threads = 8.times.map do |n|
      Thread.new { 20.times { |i| @acuse.messages.send_message(DRAFT, "#{n}-#{i % 10}") } }
    end
    threads.each(&:join)
    assert_equal 80, @fake.sent.length
  end

  def test_signed_deliveries_verify
    event = { type: 'email.sent', created_at: '2026-11-22T10:00:00.000Z', data: { event_id: 'e1', future: 'é' } }
    body, headers = Acuse::Testing.sign_webhook(event, SECRET)
    assert_equal 'e1', Acuse::Webhook.verify(body, headers, SECRET).event_id
    made = Acuse::Testing.sign_webhook(event.merge(data: {}), SECRET)
    refute_empty Acuse::Webhook.verify(*made, SECRET).event_id
    body, headers = Acuse::Testing.sign_webhook(event, SECRET, at: Time.now.to_i - 301)
    error = assert_raises(Acuse::WebhookError) { Acuse::Webhook.verify(body, headers, SECRET) }
    assert_equal :too_old, error.reason
    assert_raises(Acuse::WebhookError) { Acuse::Webhook.verify("#{body} ", headers, SECRET, now: Time.now.to_i - 301) }
  end

  def test_a_delivery_without_created_at_is_of_its_own_time
    at = 1_795_513_800
    made = Acuse::Testing.sign_webhook({ type: 'email.sent', data: { message_id: 'm1' } }, SECRET, at: at)
    assert_equal '2026-11-24T09:50:00.000Z', Acuse::Webhook.verify(*made, SECRET, now: at).created_at
  end

  def test_an_event_without_type_or_data_is_refused
    { { type: 'x.y' } => 'data', { type: 'x.y', data: nil } => 'data', { data: {} } => 'type' }.each do |event, what|
      error = assert_raises(ArgumentError) { Acuse::Testing.sign_webhook(event, SECRET) }
      assert_match(/\AThe event has no #{what}: give/, error.message)
    end
  end

  def test_a_secret_that_is_none_is_refused_with_its_form
    ['', 'c2VjcmV0', 'whsec_x', 'whsec_a b='].each do |secret|
      error = assert_raises(ArgumentError) { Acuse::Testing.sign_webhook({ type: 'x.y', data: {} }, secret) }
      assert_match(/whsec_ and base64/, error.message)
    end
  end

  def test_what_arrived_in_the_sandbox
    server = ScriptedServer.new { |socket, *| answer(socket, 200, { data: [{ subject: 'Invoice 1' }] }) }
    client = Acuse::Client.new(api_key: 'acuse_x_y', base_url: server.url)
    assert_equal [{ 'subject' => 'Invoice 1' }], Acuse::Testing::Sandbox.mailbox(client)
    assert_match(%r{\AGET /sandbox/mailbox }, server.requests[0][:line])
  ensure
    server&.stop
  end

  def test_addresses_of_the_sandbox
    assert_equal 'delivered@sandbox.test', Acuse::Testing::Sandbox.address
    assert_equal 'bounced+x@sandbox.test', Acuse::Testing::Sandbox.address('bounced', 'x')
  end
end
