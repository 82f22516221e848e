# frozen_string_literal: true

# Run and killed by sdks/conformance/run/outbox.mjs: setup | add ADDRESS KEY… | send.
require 'pg'
require 'acuse'

database = PG.connect(ENV.fetch('DATABASE_URL'))
what, to, *keys = ARGV
case what
when 'setup'
  database.exec("create table invoices (number text primary key); #{Acuse::Outbox::TABLE}")
when 'add'
  keys.each do |key|
    database.transaction do
      database.exec_params('insert into invoices (number) values ($1) on conflict do nothing', [key])
      message = { from: 'billing@sandbox.test', to: to, subject: "Invoice #{key}", text: 'Hello.' }
      Acuse::Outbox.add(database, message, key)
    end
  end
else
  puts Acuse::Client.new.send_outbox(database)
end
