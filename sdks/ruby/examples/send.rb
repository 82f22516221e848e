# frozen_string_literal: true

require 'acuse'

acuse = Acuse::Client.new
sent = acuse.messages.send_message({ from: 'billing@sandbox.test', to: 'delivered@sandbox.test',
                                     subject: 'Invoice 1', text: 'Hello.' }, 'invoice-1')
puts sent.message.id, sent.replayed?
