# frozen_string_literal: true

require 'json'

module Acuse
  # Status and headers of the answer that a result came in.
  ResponseInfo = Struct.new(:status, :headers, :request_id, :attempts, keyword_init: true)

  # Common to all types of the contract: frozen, read by methods or by `[]` with the name in JSON.
  # Fields that this version does not know are in `extra`.
  class Model
    # One field: its name in JSON, its type (see Codec), whether the contract requires it, whether it may be null,
    # and whether the meaning is lost without it: another that an older server does not have is nil.
    Field = Struct.new(:name, :type, :required, :nullable, :essential)

    class << self
      # @return [Array<Field>]
      def fields = @fields ||= []

      # Declares a field, and a reader for it. A name that every object has already gets `_value` behind it.
      def field(name, type, required: true, nullable: false, essential: false)
        fields << Field.new(name, type, required, nullable, essential).freeze
        reader = Object.public_method_defined?(name) || Model.public_method_defined?(name) ? "#{name}_value" : name
        define_method(reader) { @values[name] }
      end

      # @param value [Hash] as JSON.parse gives it
      # @raise [ArgumentError] an essential field is missing, or one is of another type
      def from_h(value)
        Codec.decode([:ref, name.split('::').last], value, name.split('::').last)
      rescue Codec::Undecodable => e
        raise ArgumentError, e.message
      end
    end

    # @return [Hash] fields that this version does not know
    attr_reader :extra
    # @return [ResponseInfo, nil] of the answer, where the whole answer is this
    attr_reader :response

    # @private
    def initialize(values, extra = {}, response = nil)
      @values = values.freeze
      @extra = extra.freeze
      @response = response
      freeze
    end

    # @param name [String, Symbol] as JSON has it
    def [](name)
      @values.fetch(name.to_s) { @extra[name.to_s] }
    end

    # For patterns, `message => { status: }`: names as JSON has them.
    # @return [Hash{Symbol => Object}]
    def deconstruct_keys(_keys) = @extra.merge(@values).transform_keys(&:to_sym)

    # @return [Hash{String => Object}] as JSON has it; unknown fields are as they came
    def to_h = Codec.encode(@values).merge(@extra)

    def to_json(*args) = to_h.to_json(*args)

    def ==(other) = other.class == self.class && other.to_h == to_h
    alias eql? ==

    def hash = to_h.hash

    # @private
    def with_response(response) = self.class.new(@values, @extra, response)

    def inspect
      shown = @values.map { |name, value| "#{name}=#{value.inspect}" }
      Redact.call("#<#{self.class} #{shown.join(' ')}>")
    end
    alias to_s inspect
  end
end
