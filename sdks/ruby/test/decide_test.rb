# frozen_string_literal: true

require 'support'

# contract/vectors/client-decisions.json
class DecideTest < Minitest::Test
  VECTORS = vectors('client-decisions.json')

  def outcome(given)
    Acuse::Outcome.new(given['kind'].to_sym, given['status'], given['code'])
  end

  VECTORS['decisions'].each_with_index do |vector, index|
    define_method("test_decision_#{index}_#{vector['name']}") do
      given = vector['in']
      decision = Acuse::Decide.decide(
        given['class'].to_sym, outcome(given['outcome']),
        attempt: given['attempt'], max_retries: given['max_retries'], headers: given['headers'],
        u: given['u'], budget: given['budget'], time_left: given['time_left'], now: given['now']
      )
      found = decision.to_h.transform_keys(&:to_s)
      found['because'] = found['because']&.to_s
      assert_equal vector['out'], found
    end
  end

  def test_retry_after
    VECTORS['retry_after'].each do |vector|
      found = Acuse::Decide.retry_after_ms({ 'Retry-After' => vector['value'] }, vector['now'])
      assert vector['ms'] == found, "#{vector['value'].inspect}: #{found.inspect}"
    end
  end

  def test_delays
    VECTORS['delays'].each do |vector|
      assert_equal vector['delay'], Acuse::Decide.delay_ms(vector['retry'], vector['u'], nil)
    end
  end

  def test_deletions
    VECTORS['deletions'].each do |vector|
      ended = Acuse::Decide.deleted?(vector['outcomes'].map { |each| outcome(each) })
      assert_equal vector['ended'] == 'deleted', ended, vector['name']
    end
  end

  def test_budgets
    VECTORS['budgets'].each do |vector|
      budget = Acuse::Budget.new
      budget.take(Acuse::Decide::BUDGET - vector['start'])
      spent = 0
      vector['events'].each do |event|
        spent = spend(budget, event, spent)
        assert_equal event['budget'], budget.tokens, vector['name']
      end
    end
  end

  # The cost of the call's retries after the event.
  def spend(budget, event, spent)
    if event['event'].start_with?('ok')
      budget.succeed(event['event'] == 'ok' ? 0 : spent)
      return 0
    end
    cost = Acuse::Decide.cost_of(Acuse::Outcome.new(event['event'] == 'timeout' ? :timeout : :lost_answer))
    assert_equal event['paid'], budget.take(cost)
    event['paid'] ? spent + cost : spent
  end
end
