# frozen_string_literal: true

require 'support'

# contract/vectors/examples.json
class TypesTest < Minitest::Test
  EXAMPLES = vectors('examples.json')

  def round(name, value) = Acuse::Codec.encode(Acuse::Codec.decode([:ref, name], value, name))

  def model(name) = Acuse::Types.const_defined?(name) ? Acuse::Types.const_get(name) : nil

  def test_every_schema_is_there
    models = Acuse::Types.constants.map(&:to_s) - ['ALIASES']
    assert_equal EXAMPLES.keys.sort, (models + Acuse::Types::ALIASES.keys).sort
  end

  def test_gives_back_every_instance_of_every_schema
    EXAMPLES.each do |name, cases|
      [cases['full'], cases['minimal'], *cases['others'], cases['future']].compact.each do |value|
        assert_equal value, round(name, value), name
      end
    end
  end

  def test_only_what_carries_the_meaning_must_be_there
    EXAMPLES.each do |name, cases|
      (model(name)&.fields || []).each do |field|
        less = cases['full'].except(field.name)
        next assert_equal(less, round(name, less), field.name) unless field.essential

        error = assert_raises(ArgumentError) { model(name).from_h(less) }
        assert_includes error.message, field.name
      end
    end
  end

  def test_models_match_patterns
    value = EXAMPLES['Domain']['full'].merge('colour' => 'green')
    Acuse::Types::Domain.from_h(value) => { id:, colour: }
    assert_equal [value['id'], 'green'], [id, colour]
    assert_raises(NoMatchingPatternKeyError) { Acuse::Types::Domain.from_h(value) => { color: String } }
  end

  def test_models_are_frozen_read_by_methods_and_equal_by_value
    value = EXAMPLES['Domain']['full']
    domain = Acuse::Types::Domain.from_h(value)
    assert_predicate domain, :frozen?
    assert_equal value['id'], domain.id
    assert_equal domain, Acuse::Types::Domain.from_h(value)
    assert_raises(FrozenError) { domain.to_h.freeze['id'] = 'x' }
  end

  def test_an_unknown_field_is_kept_aside
    value = EXAMPLES['Domain']['full'].merge('colour' => 'green')
    domain = Acuse::Types::Domain.from_h(value)
    assert_equal({ 'colour' => 'green' }, domain.extra)
    assert_equal 'green', domain[:colour]
  end
end
