# frozen_string_literal: true

module Acuse
  # Many messages: cut into requests, each item with a key of its own and a result of its own.
  class Batch < Resource
    # Items of one request.
    MAX_ITEMS = 100
    # Addresses in to, cc and bcc of all items of one request.
    MAX_RECIPIENTS = 1_000
    # The size of one request; the server takes 64 MiB.
    MAX_BYTES = 60 * 1024 * 1024
    # Codes of items that are tried again under their key.
    RETRIED = %w[unavailable internal_error].freeze
    HEAD = '{"messages":['
    TAIL = ']}'
    private_constant :RETRIED, :HEAD, :TAIL

    # Outcome of one item: a Sent or a Failed.
    Entry = Struct.new(:index, :status, :idempotency_key, :message, :error, keyword_init: true)

    # Accepted, now or before: its `status` is 'created' or 'replayed'.
    class Sent < Entry; end

    # Not accepted, or nothing is known of it: its `status` is 'failed' or 'unknown' (its request was lost for
    # good: sending the item again under the same key makes no second message).
    class Failed < Entry; end

    Item = Struct.new(:index, :key, :data, :recipients)
    private_constant :Item

    # @return [Array<Sent, Failed>]
    def run(items)
      @entries = {}
      ready = items.each_with_index.filter_map { |given, index| prepared(index, given) }
      groups(ready).each { |group| send_group(group) }
      @entries.sort.map(&:last)
    end

    private

    def prepared(index, given)
      fields = Codec.encode(given)
      raise ConfigurationError, 'An item of a batch is a Hash or a model.' unless fields.is_a?(Hash)

      key = checked_key(fields['idempotency_key'])
      fields = fields.merge('idempotency_key' => key)
      data = body_bytes(OPERATIONS.fetch('sendBatch'), fields)
      Item.new(index, key, data, %w[to cc bcc].sum { |name| [fields[name]].flatten.compact.length })
    rescue ConfigurationError => e
      key = fields.is_a?(Hash) && fields['idempotency_key'].is_a?(String) ? fields['idempotency_key'] : ''
      @entries[index] = Failed.new(index: index, status: 'failed', idempotency_key: key, error: e)
      nil
    end

    def groups(items)
      limit = MAX_BYTES - HEAD.bytesize - TAIL.bytesize
      groups = []
      size = recipients = 0
      items.each do |item|
        more = item.data.bytesize + 1
        full = groups.empty? || groups.last.length == MAX_ITEMS || size + more > limit ||
               recipients + item.recipients > MAX_RECIPIENTS
        groups << [] if full
        size = (full ? 0 : size) + more
        recipients = (full ? 0 : recipients) + item.recipients
        groups.last << item
      end
      groups
    end

    # One request, and others for what the service could not do just then.
    def send_group(group)
      options = @core.options
      ends = options.clock.call + options.deadline
      attempt = 0
      loop do
        attempt += 1
        answer = request(group)
        group = answer ? note(group, answer) : []
        delay = group.empty? ? nil : delay_after(attempt, answer, (ends - options.clock.call) * 1_000)
        break if delay.nil?

        options.sleep.call(delay)
      end
    end

    def request(group)
      body = HEAD.b + group.map(&:data).join(',').b + TAIL.b
      Call.new(@core, OPERATIONS.fetch('sendBatch'), body: body).run
    rescue Error => e
      lost(group, e)
      nil
    end

    def delay_after(attempt, answer, time_left)
      options = @core.options
      decision = Decide.decide(
        :keyed, Outcome.new(:answer, 503, 'unavailable'),
        attempt: attempt, max_retries: options.max_retries, headers: answer.headers,
        u: options.random.call, budget: @core.budget.tokens, time_left: time_left,
        now: (options.wall_clock.call * 1_000).to_i
      )
      decision.retry && @core.budget.take(Decide::RETRY_COST) ? decision.delay / 1_000.0 : nil
    end

    # What refused an item in an earlier request stands, unless it may have been accepted since.
    def lost(group, error)
      group.each do |item|
        next if @entries.key?(item.index) && !error.outcome_unknown?

        @entries[item.index] = Failed.new(
          index: item.index, status: error.outcome_unknown? ? 'unknown' : 'failed',
          idempotency_key: item.key, error: error
        )
      end
    end

    # Writes down the outcome of each item. Those to be tried again.
    def note(group, answer)
      told = answer.value.results.to_h { |each| [each['index'], each] }
      group.each_with_index.filter_map do |item, position|
        entry = entry(item, told[position], answer)
        @entries[item.index] = entry
        item if entry.error.is_a?(ApiError) && RETRIED.include?(entry.error.code)
      end
    end

    def entry(item, told, answer)
      made = { index: item.index, idempotency_key: item.key }
      if told && told['message'] && told['error'].nil?
        status = told['status'] == 'replayed' ? 'replayed' : 'created'
        return Sent.new(**made, status: status, message: told['message'])
      end
      return Failed.new(**made, status: 'unknown', error: silent(item)) if told.nil? || told['error'].nil?

      Failed.new(**made, status: 'failed', error: refused(item, told['error'], answer))
    end

    def silent(item)
      error = ProtocolError.new('The answer says nothing about this item.', status: 200, outcome_unknown: true)
      error.idempotency_key = item.key
      error
    end

    def refused(item, told, answer)
      code = told['code']
      status = FIXES.dig(code, 0) || 422
      error = ApiError.class_for(status, code).new(
        status, code, told['message'], request_id: answer.headers['request-id']
      )
      error.idempotency_key = item.key
      error.attempts = answer.attempts
      error
    end
  end
end
