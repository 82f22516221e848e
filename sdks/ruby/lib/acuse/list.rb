# frozen_string_literal: true

module Acuse
  # A list of the service, read page by page as far as it is looked at. Each run through it asks anew.
  class List
    include Enumerable

    # @private
    # @yield [query] asks for one page
    def initialize(query, &fetch)
      @query = query
      @fetch = fetch
    end

    # @yield [item]
    # @return [Enumerator] without a block
    def each(&block)
      return to_enum(:each) unless block

      each_page { |page| page.data.each(&block) }
      self
    end

    # Pages as they came: `limit` is their size.
    # @yield [page]
    # @raise [ProtocolError] a cursor that was there before
    def each_page
      return to_enum(:each_page) unless block_given?

      query = @query
      seen = []
      loop do
        page = @fetch.call(query)
        yield page
        cursor = page.next_cursor
        return self if cursor.nil?
        raise ProtocolError, 'The list gave a cursor that it had given before.' if seen.include?(cursor)

        seen << cursor
        query = query.merge('after' => cursor)
      end
    end
    alias pages each_page

    # @return [Model] the first page alone
    def first_page = @fetch.call(@query)

    def inspect = "#<#{self.class}>"
  end
end
