# frozen_string_literal: true

require 'json'
require 'openssl'
require 'securerandom'
require 'acuse'

module Acuse
  # For tests of programs that use this library: `require 'acuse/testing'`.
  module Testing
    # The key of a FakeAcuse.
    FAKE_KEY = 'acuse_fake_0000000000000000'

    # A service in memory: it knows sends, batches, replays, reading a message, and refusals that are scripted.
    #
    #     fake = Acuse::Testing::FakeAcuse.new
    #     program(fake.client)
    #     assert_equal 'ana@example.com', fake.sent[0]['to']
    class FakeAcuse
      # Fields of a message that nothing has happened to.
      NEVER = Types::Message.fields.select { |field| field.required && field.nullable }.map(&:name).freeze
      private_constant :NEVER

      # @return [Array<Hash>] what was accepted, in order; a composed message as `{ 'raw' => … }`
      attr_reader :sent
      # @return [Array<Array(String, String)>] method and path of all that was asked
      attr_reader :requests

      def initialize
        @lock = Mutex.new
        @sent = []
        @requests = []
        @messages = {}
        @keys = {}
        @refusals = []
      end

      # A client of this service; it does not wait between attempts.
      # @return [Client]
      def client(**options)
        given = { sleep: ->(_seconds) {} }.merge(options)
        Client.new(**given, api_key: FAKE_KEY, base_url: 'http://localhost', transport: self)
      end

      # The next so many requests are refused with this code.
      def refuse(code, message = 'Refused by the test.', times: 1)
        raise ArgumentError, "#{code} is not an error code of Acuse." unless FIXES.key?(code)

        @lock.synchronize { times.times { @refusals << [code, message] } }
        nil
      end

      # @private
      def request(attempt)
        @lock.synchronize do
          @requests << [attempt.http, attempt.path]
          refusal = @refusals.shift
          refusal ? refused(*refusal) : answer_to(attempt)
        end
      end

      # @private
      def close; end

      def inspect = "#<#{self.class} #{@sent.length} sent>"

      private

      def answer_to(attempt)
        asked = "#{attempt.http} #{attempt.path}"
        if asked == 'POST /v1/messages'
          return accept(draft_of(attempt), header(attempt, 'idempotency-key'))
        end
        return batch(JSON.parse(attempt.body)['messages']) if asked == 'POST /v1/messages/batch'

        message = attempt.http == 'GET' && @messages[attempt.path.delete_prefix('/v1/messages/')]
        message ? reply(200, message) : refused('not_found', "FakeAcuse does not know #{asked}.")
      end

      def draft_of(attempt)
        json = header(attempt, 'content-type').to_s.start_with?('application/json')
        json ? JSON.parse(attempt.body) : { 'raw' => attempt.body }
      end

      def header(attempt, wanted)
        attempt.headers.find { |name, _| name.downcase == wanted }&.last
      end

      def accept(draft, key)
        return refused('missing_idempotency_key', 'Send an Idempotency-Key.') if key.to_s.empty?

        known, id = @keys[key]
        if known
          return reply(200, @messages[id], 'idempotent-replayed' => 'true') if known == draft

          return refused('idempotency_key_reused', 'The key belongs to another message.')
        end
        message = message_of(draft, key)
        @keys[key] = [draft, message['id']]
        @messages[message['id']] = message
        @sent << draft
        reply(201, message)
      end

      def batch(items)
        results = items.each_with_index.map do |item, index|
          answer = accept(item.except('idempotency_key'), item['idempotency_key'])
          told = JSON.parse(answer.body)
          status = { 200 => 'replayed', 201 => 'created' }.fetch(answer.status, 'failed')
          { 'index' => index, 'status' => status }
            .merge(status == 'failed' ? { 'error' => told['error'] } : { 'message' => told })
        end
        counts = %w[created replayed failed].to_h { |name| [name, results.count { |each| each['status'] == name }] }
        reply(200, counts.merge('results' => results))
      end

      def message_of(draft, key)
        NEVER.to_h { |name| [name, nil] }.merge(
          'id' => SecureRandom.uuid, 'idempotency_key' => key, 'from' => draft['from'].to_s,
          'to' => [draft['to']].flatten.first.to_s, 'subject' => draft['subject'].to_s,
          'certified' => draft['certified'] != false, 'status' => 'queued', 'tags' => draft['tags'] || [],
          'metadata' => draft['metadata'] || {}, 'size_bytes' => 1_000,
          'created_at' => Time.now.utc.strftime('%Y-%m-%dT%H:%M:%S.000Z'), 'attempts' => 0
        )
      end

      def refused(code, message)
        reply(FIXES.fetch(code).first, { 'error' => { 'code' => code, 'message' => message } })
      end

      def reply(status, body, headers = {})
        Reply.new(status: status, headers: headers, body: JSON.generate(body), too_large: false)
      end
    end

    # A delivery as the service makes it: its body and headers.
    # @param event [Hash] type, data, whose event_id is the delivery's id, else a new one, and created_at, else
    #   the time of the delivery
    # @param at [Integer] Unix time
    # @return [Array(String, Hash)]
    def self.sign_webhook(event, secret, at: Time.now.to_i)
      told = complete(event, at)
      body = JSON.generate(told)
      id = told['data']['event_id'] || SecureRandom.uuid
      key = key_of(secret)
      signature = OpenSSL::HMAC.digest('SHA256', key, "#{id}.#{at}.#{body}")
      [body, {
        'Content-Type' => 'application/json',
        'Service-Event' => told['type'],
        'Service-Signature' => "sha256=#{OpenSSL::HMAC.hexdigest('SHA256', secret, body)}",
        'webhook-id' => id,
        'webhook-timestamp' => at.to_s,
        'webhook-signature' => "v1,#{[signature].pack('m0')}"
      }]
    end

    def self.complete(event, at)
      told = JSON.parse(JSON.generate(event))
      raise ArgumentError, 'The event has no type: give a text, such as email.sent.' unless told['type'].is_a?(String)
      raise ArgumentError, 'The event has no data: give a hash, such as {}.' unless told['data'].is_a?(Hash)

      { **told, 'created_at' => told['created_at'] || Time.at(at).utc.strftime('%Y-%m-%dT%H:%M:%S.000Z') }
    end
    private_class_method :complete

    def self.key_of(secret)
      raise ArgumentError unless secret.start_with?('whsec_')

      secret.delete_prefix('whsec_').unpack1('m0')
    rescue ArgumentError
      raise ArgumentError, 'A webhook secret is whsec_ and base64, such as whsec_c2VjcmV0IG9mIGEgdGVzdA==.'
    end
    private_class_method :key_of

    # Test addresses of a service that runs as a sandbox, and the mail that arrived there.
    module Sandbox
      MAILBOX = Operation.new(
        name: 'sandbox.mailbox', http: 'GET', path: '/sandbox/mailbox', retry_class: :safe, result: :text,
        accept: 'application/json', path_params: [], query: []
      ).freeze
      private_constant :MAILBOX

      # The newest mails of the test mailbox.
      # @return [Array<Hash>]
      def self.mailbox(client)
        JSON.parse(Call.new(client.instance_variable_get(:@core), MAILBOX).run.value).fetch('data')
      end

      # Such as `bounced+tag@sandbox.test`; docs/operating.md lists the outcomes.
      def self.address(outcome = 'delivered', tag = nil)
        tag ? "#{outcome}+#{tag}@sandbox.test" : "#{outcome}@sandbox.test"
      end
    end
  end
end
