# frozen_string_literal: true

require 'support'
require 'acuse/testing'

begin
  require 'rbs'
  require 'rbs/test'
rescue LoadError
  warn 'signatures not tested: needs the gem rbs (it comes with Ruby)'
end

# sig/*.rbs says of the library what it is.
class SignatureTest < Minitest::Test
  FOLDER = Pathname(File.expand_path('../sig', __dir__))
  # Methods that a struct or an object has, and that say nothing of a type.
  USUAL = %i[to_s inspect == eql? hash to_json].freeze
  # For the library itself.
  PRIVATE = %i[
    fields with_response request close connect run log_keys witness_keys authorities quorum reached required
    second_keys second_keys_at
  ].freeze

  def setup
    skip 'needs the gem rbs' unless defined?(RBS::Test)
  end

  class << self
    def builder
      @builder ||= begin
        loader = RBS::EnvironmentLoader.new
        loader.add(path: FOLDER)
        RBS::DefinitionBuilder.new(env: RBS::Environment.from_loader(loader).resolve_type_names)
      end
    end
  end

  def builder = self.class.builder

  def ours
    builder.env.class_decls.keys.select { |name| name.to_s.start_with?('::Acuse::') }
  end

  def test_every_name_resolves_and_every_method_is_there
    assert_operator ours.length, :>, 150
    ours.each do |name|
      found = Object.const_get(name.to_s)
      kinds = found.is_a?(Class) ? %i[build_instance build_singleton] : %i[build_singleton]
      kinds.each do |kind|
        builder.public_send(kind, name).methods.each do |method, definition|
          next unless definition.implemented_in == name && method != :initialize

          target = kind == :build_instance ? found.method_defined?(method) : found.respond_to?(method)
          assert target, "#{name}##{method} is only in the signature"
        end
      end
    end
  end

  def test_every_public_method_has_its_signature
    ours.each do |name|
      found = Object.const_get(name.to_s)
      next unless found.is_a?(Class)

      told = builder.build_instance(name).methods.keys
      public_methods = found.public_instance_methods(false).reject { |each| each.end_with?('=') }
      assert_empty public_methods - told - USUAL - PRIVATE, name.to_s
    end
  end

  def test_what_is_read_is_of_the_types_that_are_said
    vectors('examples.json').each do |name, cases|
      next unless Acuse::Types.const_defined?(name)

      type_name = RBS::TypeName.new(name: name.to_sym, namespace: RBS::Namespace.parse('::Acuse::Types'))
      check = RBS::Test::TypeCheck.new(
        self_class: Acuse::Types.const_get(name), builder: builder, sample_size: 10, unchecked_classes: []
      )
      [cases['full'], cases['minimal']].compact.each do |value|
        read = Acuse::Types.const_get(name).from_h(value)
        builder.build_instance(type_name).methods.each do |method, definition|
          next unless definition.implemented_in == type_name

          type = definition.method_types.first.type.return_type
          assert check.value(read.public_send(method), type), "#{name}##{method} is no #{type}"
        end
      end
    end
  end

  def test_the_class_of_an_outcome_says_what_it_has
    draft = { from: 'a@example.com', to: 'b@example.com', text: 'Hello.' }
    items = [draft, draft.merge(idempotency_key: 'é')]
    outcomes = Acuse::Testing::FakeAcuse.new.client.messages.send_batch(items)
    all = [[:Sent, '::Acuse::Types::Message', 'nil'], [:Failed, 'nil', '::Acuse::Error']]
    outcomes.zip(all) do |outcome, (name, *types)|
      assert_instance_of Acuse::Batch.const_get(name), outcome
      type_name = RBS::TypeName.new(name: name, namespace: RBS::Namespace.parse('::Acuse::Batch'))
      check = RBS::Test::TypeCheck.new(
        self_class: outcome.class, builder: builder, sample_size: 10, unchecked_classes: []
      )
      told = %i[message error].map do |method|
        type = builder.build_instance(type_name).methods.fetch(method).method_types.first.type.return_type
        assert check.value(outcome.public_send(method), type), "#{name}##{method} is no #{type}"
        type.to_s
      end
      assert_equal types, told
    end
  end

  def test_the_data_of_every_known_event_is_one_of_the_union
    name = RBS::TypeName.new(name: :event_data, namespace: RBS::Namespace.parse('::Acuse'))
    union = builder.env.alias_decls.fetch(name)
    members = union.decl.type.types.map(&:to_s)
    assert_equal Acuse::EVENT_DATA.values.map { |each| "::Acuse::Types::#{each}" }, members.grep(/Types/)
  end
end
