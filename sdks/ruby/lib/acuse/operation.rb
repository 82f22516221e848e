# frozen_string_literal: true

module Acuse
  # The rules of the contract for one operation.
  # `name`: neutral, resource and method (`messages.sendBatch`); `retry_class`: :safe, :keyed, :repeatable or
  # :once; `result`: :json, :page, :bytes, :text or :none; `accept`, `media`: of the answer and of the body.
  Operation = Struct.new(
    :name, :http, :path, :retry_class, :result, :type, :accept, :media, :path_params, :query,
    keyword_init: true
  )
end
