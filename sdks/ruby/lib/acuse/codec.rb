# frozen_string_literal: true

module Acuse
  # JSON of answers to models and back. A type is a Symbol (:string, :integer, :number, :boolean, :null, :json),
  # [:array, type], [:map, type], [:ref, name] or [:union, [types]].
  module Codec
    # An answer that is not of its type.
    class Undecodable < StandardError; end

    SCALARS = {
      string: ->(value) { value.is_a?(String) },
      integer: ->(value) { value.is_a?(Integer) },
      number: ->(value) { value.is_a?(Numeric) },
      boolean: ->(value) { [true, false].include?(value) },
      null: ->(value) { value.nil? },
      json: ->(_) { true }
    }.freeze
    private_constant :SCALARS

    class << self
      # @raise [Undecodable]
      def decode(type, value, where)
        return scalar(type, value, where) if type.is_a?(Symbol)

        kind, of = type
        case kind
        when :ref then reference(of, value, where)
        when :array then array(of, value, where)
        when :map then map(of, value, where)
        else union(of, value, where)
        end
      end

      # @return what JSON has for a value of a request
      def encode(value)
        case value
        when Model then value.to_h
        when Hash then value.to_h { |name, each| [name.to_s, encode(each)] }
        when Array then value.map { |each| encode(each) }
        when Symbol then value.to_s
        when Time then value.getutc.strftime('%Y-%m-%dT%H:%M:%S.%LZ')
        else value
        end
      end

      private

      def scalar(type, value, where)
        raise Undecodable, "#{where} is not of type #{type}" unless SCALARS.fetch(type).call(value)

        value
      end

      def reference(name, value, where)
        return decode(Types::ALIASES[name], value, where) if Types::ALIASES.key?(name)

        object(Types.const_get(name), value, where)
      end

      def array(of, value, where)
        raise Undecodable, "#{where} is not a list" unless value.is_a?(Array)

        value.each_with_index.map { |each, at| decode(of, each, "#{where}[#{at}]") }.freeze
      end

      def map(of, value, where)
        raise Undecodable, "#{where} is not an object" unless value.is_a?(Hash)

        value.to_h { |name, each| [name, decode(of, each, "#{where}.#{name}")] }.freeze
      end

      def union(of, value, where)
        of.each do |type|
          return decode(type, value, where)
        rescue Undecodable
          next
        end
        raise Undecodable, "#{where} has another type"
      end

      def object(model, value, where)
        raise Undecodable, "#{where} is not an object" unless value.is_a?(Hash)

        extra = value.dup
        known = {}
        model.fields.each do |field|
          unless extra.key?(field.name)
            raise Undecodable, "#{where}.#{field.name} is missing" if field.essential

            next
          end
          inner = extra.delete(field.name)
          known[field.name] =
            inner.nil? && field.nullable ? nil : decode(field.type, inner, "#{where}.#{field.name}")
        end
        model.new(known, extra)
      end
    end
  end
end
