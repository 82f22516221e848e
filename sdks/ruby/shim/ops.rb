# frozen_string_literal: true

# The operations of the shim, in the words of sdks/conformance/README.md.
module Ops
  NAMES = %w[
    info send send_raw send_many send_file send_batch call list pages download_bundle wait_until_sealed
    verify_webhook verify_bundle log_checkpoint log_follow check_promise roundtrip print
  ].freeze

  class << self
    def run(request, record)
      op = request['op']
      raise ArgumentError, "unknown op #{op}" unless NAMES.include?(op)

      args = request['args'] || {}
      options = request['options'] || {}
      after = args['cancel_after_ms']
      return public_send("op_#{op}", args, options) if after.nil?

      cancelling(after / 1_000.0, record) { public_send("op_#{op}", args, options) }
    end

    def op_info(_, options)
      client = Clients.for(options.empty? ? { 'api_key' => 'acuse_a_b', 'base_url' => 'http://localhost' } : options)
      {
        language: 'ruby', version: Acuse::VERSION, level: 1, operations: operations(client),
        user_agent: Acuse::Call.user_agent(Acuse::Options.new(api_key: 'acuse_a_b', base_url: 'http://localhost'))
      }
    end

    def op_send(args, options)
      message = decoded('Send', args['message'])
      sent(Clients.for(options).messages.send_message(message, args['idempotency_key']))
    end

    def op_send_raw(args, options)
      sent(Clients.for(options).messages.send_raw(args['content'].unpack1('m'), args['idempotency_key']))
    end

    def op_send_file(args, options)
      attachments = [*args['message']['attachments'], Acuse::Attachment.from_file(args['path'])]
      message = args['message'].merge('attachments' => attachments)
      sent(Clients.for(options).messages.send_message(message, args['idempotency_key']))
    end

    def op_send_many(args, options)
      messages = Clients.for(options).messages
      record = Clients.record
      numbers = Queue.new
      args['count'].times { |number| numbers << number }
      numbers.close
      results = Array.new(args['count'])
      workers = Array.new(args['threads'] || 1) do
        Thread.new do
          Thread.current.thread_variable_set(:record, record)
          while (number = numbers.pop)
            results[number] = one(messages, args, number)
          end
        end
      end
      workers.each(&:join)
      { results: results }
    end

    def op_send_batch(args, options)
      entries = Clients.for(options).messages.send_batch(args['items'])
      results = entries.map do |each|
        {
          status: each.status, idempotency_key: each.idempotency_key, message: each.message&.to_h,
          error: each.error && Clients.error(each.error, Record.new([], [], nil))
        }
      end
      { results: results }
    end

    def op_call(args, options)
      result = invoke(args, options)
      case result
      when Acuse::List then result.first_page.to_h
      when Acuse::Sent then result.message.to_h
      when Acuse::Model then result.to_h
      when nil then nil
      else result.encoding == Encoding::BINARY ? { base64: [result].pack('m0') } : { text: result }
      end
    end

    def op_list(args, options)
      items = invoke(args, options)
      return { items: items.map(&:to_h), more: false } if args['take'].nil?

      found = items.lazy.first(args['take'])
      { items: found.map(&:to_h), more: found.length >= args['take'] }
    end

    def op_pages(args, options)
      pages = invoke(args, options).pages
      found = args['take'].nil? ? pages.to_a : pages.first(args['take'])
      { pages: found.map { |page| page.data.map(&:to_h) } }
    end

    def op_download_bundle(args, options)
      { bytes: Clients.for(options).evidence.download_bundle(args['message_id'], args['path']) }
    end

    def op_wait_until_sealed(args, options)
      evidence = Clients.for(options).evidence
      evidence.wait_until_sealed(args['message_id'], within: args['within_ms'] / 1_000.0).to_h
    end

    def op_verify_webhook(args, _ = nil)
      event = event_of(args)
      {
        type: event.type, created_at: event.created_at, data: Acuse::Codec.encode(event.data),
        event_id: event.event_id, replay_protected: event.replay_protected
      }
    end

    def op_verify_bundle(args, _)
      trust = Acuse::Verifier::TRUST_BUNDLE
      policy = args['policy'] == trust.to_s ? trust : Acuse::Verifier::Policy.load(args['policy'])
      now = args['now'] && Time.iso8601(args['now'])
      report = Acuse::Verifier.verify(args['path'], policy: policy, now: now, at: args['at'], eml: args['eml'])
      report.to_h.merge(
        checks: report.checks.map(&:to_h), reasons: report.reasons.map(&:name), warnings: report.warnings.map(&:name)
      )
    end

    def op_log_checkpoint(args, options)
      point(Clients.for(options).log.checkpoint(args['pinned_key']))
    end

    def op_log_follow(args, options)
      saved = Acuse::Checkpoint.load(args['saved'], args['pinned_key'])
      point(Clients.for(options).log.follow(saved))
    end

    def op_check_promise(args, options)
      log = Clients.for(options).log
      message = decoded('Message', args['message'])
      { state: log.check_promise(message, log.checkpoint(args['pinned_key'])).state }
    end

    def op_roundtrip(args, _)
      Acuse::Codec.encode(decoded(args['schema'], args['value']))
    end

    def op_print(args, options)
      { texts: printed(args, options).flat_map { |each| [each.to_s, each.inspect, JSON.generate([each])] } }
    end

    private

    # The neutral names, by the public methods of the client's resources.
    def operations(client)
      written = Acuse::OPERATIONS.values.map(&:name)
      found = Acuse::Resources::ALL.keys.flat_map do |resource|
        client.public_send(resource).public_methods(false).concat(
          client.public_send(resource).class.public_instance_methods(false)
        ).uniq.map { |name| "#{camel(resource)}.#{name == :send_message ? 'send' : camel(name)}" }
      end
      found & written
    end

    def camel(name) = name.to_s.gsub(/_(\w)/) { Regexp.last_match(1).upcase }

    def snake(name) = name.gsub(/[A-Z]/) { |letter| "_#{letter.downcase}" }

    def invoke(args, options)
      resource, name = args['operation'].split('.')
      operation = Acuse::OPERATIONS.values.find { |each| each.name == args['operation'] }
      target = Clients.for(options).public_send(snake(resource))
      params = args['params'] || {}
      given = operation.path_params.map { |path| params.fetch(path) }
      given << body_of(args['body']) if args.key?('body')
      given << args['idempotency_key'] if args['idempotency_key']
      named = params.except(*operation.path_params).transform_keys { |key| key.tr('-', '_').to_sym }
      target.public_send(name == 'send' ? :send_message : snake(name), *given, **named)
    end

    def body_of(body)
      body.is_a?(Hash) && body.keys == ['base64'] ? body['base64'].unpack1('m') : body
    end

    def decoded(schema, value) = Acuse::Codec.decode([:ref, schema], value, schema)

    def sent(result)
      {
        message: result.message.to_h, replayed: result.replayed?, idempotency_key: result.idempotency_key,
        attempts: result.attempts, request_id: result.request_id
      }
    end

    # A checkpoint as the suite has it.
    def point(checkpoint)
      root = [checkpoint.root].pack('m0')
      { origin: checkpoint.origin, tree_size: checkpoint.size, root_hash: root, saved: checkpoint.note }
    end

    def one(messages, args, number)
      message = args['message'].merge('subject' => "#{args['message']['subject']} #{number}")
      result = messages.send_message(message, args['keys'] && "#{args['keys']}#{number}")
      { id: result.message.id, replayed: result.replayed? }
    rescue Acuse::Error => e
      { error: Clients.error(e, Record.new([], [], nil)) }
    end

    def event_of(args)
      body = args['body'] || args['body_base64']&.unpack1('m') || args['parsed']
      Acuse::Webhook.verify(
        body, args['headers'], args['secrets'],
        tolerance: args['tolerance'] || Acuse::Webhook::TOLERANCE, now: args['now'] || Time.now.to_i,
        accept_unstamped: args['accept_unstamped'] || false
      )
    end

    def printed(args, options)
      case args['what']
      when 'client' then [Clients.for(options)]
      when 'event' then [event_of(args)]
      else
        begin
          [Clients.for(options).messages.send_message(args['message'])]
        rescue Acuse::Error => e
          [e, e.full_message(highlight: false)] + Clients.record.attempts
        end
      end
    end

    # As Ruby ends a thread's work from outside: by an exception.
    def cancelling(seconds, record)
      caller_thread = Thread.current
      timer = Thread.new do
        sleep(seconds)
        record.cancelled_at = Clients.now
        caller_thread.raise(Cancelled, 'cancelled')
      end
      yield
    ensure
      timer&.kill
    end
  end
end
