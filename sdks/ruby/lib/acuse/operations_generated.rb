# frozen_string_literal: true

# Generated from contract/openapi.json by sdks/generate/ruby.mjs: do not edit.

module Acuse
  # What the contract says of each operation, by operationId.
  OPERATIONS = {
    'sendMessage' => Operation.new(
      name: 'messages.send', http: 'POST', path: '/v1/messages',
      retry_class: :keyed, result: :json, type: [:ref, 'Message'],
      accept: 'application/json', media: 'application/json',
      path_params: %w[], query: %w[]
    ),
    'sendRawMessage' => Operation.new(
      name: 'messages.sendRaw', http: 'POST', path: '/v1/messages',
      retry_class: :keyed, result: :json, type: [:ref, 'Message'],
      accept: 'application/json', media: 'message/rfc822',
      path_params: %w[], query: %w[]
    ),
    'listMessages' => Operation.new(
      name: 'messages.list', http: 'GET', path: '/v1/messages',
      retry_class: :safe, result: :page, type: [:ref, 'MessagePage'],
      accept: 'application/json', media: nil,
      path_params: %w[], query: %w[limit after q status certified sealed bounce_type bounce_reason reason acknowledgement from to subject tag template_id api_key_id metadata_key metadata_value created_after created_before]
    ),
    'sendBatch' => Operation.new(
      name: 'messages.sendBatch', http: 'POST', path: '/v1/messages/batch',
      retry_class: :keyed, result: :json, type: [:ref, 'BatchResult'],
      accept: 'application/json', media: 'application/json',
      path_params: %w[], query: %w[]
    ),
    'exportMessages' => Operation.new(
      name: 'messages.exportCsv', http: 'GET', path: '/v1/messages/export',
      retry_class: :safe, result: :text, type: nil,
      accept: 'text/csv', media: nil,
      path_params: %w[], query: %w[q status certified sealed bounce_type bounce_reason reason acknowledgement from to subject tag template_id api_key_id metadata_key metadata_value created_after created_before]
    ),
    'getMessage' => Operation.new(
      name: 'messages.get', http: 'GET', path: '/v1/messages/{id}',
      retry_class: :safe, result: :json, type: [:ref, 'Message'],
      accept: 'application/json', media: nil,
      path_params: %w[id], query: %w[]
    ),
    'updateMessage' => Operation.new(
      name: 'messages.update', http: 'PATCH', path: '/v1/messages/{id}',
      retry_class: :repeatable, result: :json, type: [:ref, 'Message'],
      accept: 'application/json', media: 'application/json',
      path_params: %w[id], query: %w[]
    ),
    'listMessageEvents' => Operation.new(
      name: 'messages.listEvents', http: 'GET', path: '/v1/messages/{id}/events',
      retry_class: :safe, result: :page, type: [:ref, 'EventPage'],
      accept: 'application/json', media: nil,
      path_params: %w[id], query: %w[limit after]
    ),
    'getRawMessage' => Operation.new(
      name: 'messages.getRaw', http: 'GET', path: '/v1/messages/{id}/raw',
      retry_class: :safe, result: :bytes, type: nil,
      accept: 'message/rfc822', media: nil,
      path_params: %w[id], query: %w[]
    ),
    'getMessageParts' => Operation.new(
      name: 'messages.getParts', http: 'GET', path: '/v1/messages/{id}/parts',
      retry_class: :safe, result: :json, type: [:ref, 'MessageParts'],
      accept: 'application/json', media: nil,
      path_params: %w[id], query: %w[]
    ),
    'getMessagePart' => Operation.new(
      name: 'messages.getPart', http: 'GET', path: '/v1/messages/{id}/parts/{index}',
      retry_class: :safe, result: :bytes, type: nil,
      accept: 'application/octet-stream', media: nil,
      path_params: %w[id index], query: %w[]
    ),
    'resendMessage' => Operation.new(
      name: 'messages.resend', http: 'POST', path: '/v1/messages/{id}/resend',
      retry_class: :keyed, result: :json, type: [:ref, 'Message'],
      accept: 'application/json', media: nil,
      path_params: %w[id], query: %w[]
    ),
    'listMessageAttempts' => Operation.new(
      name: 'messages.listAttempts', http: 'GET', path: '/v1/messages/{id}/attempts',
      retry_class: :safe, result: :page, type: [:ref, 'AttemptPage'],
      accept: 'application/json', media: nil,
      path_params: %w[id], query: %w[limit after]
    ),
    'listMessageReports' => Operation.new(
      name: 'messages.listReports', http: 'GET', path: '/v1/messages/{id}/reports',
      retry_class: :safe, result: :json, type: [:ref, 'MailReportList'],
      accept: 'application/json', media: nil,
      path_params: %w[id], query: %w[]
    ),
    'getMessageDsn' => Operation.new(
      name: 'messages.getDsn', http: 'GET', path: '/v1/messages/{id}/dsn',
      retry_class: :safe, result: :bytes, type: nil,
      accept: 'message/rfc822', media: nil,
      path_params: %w[id], query: %w[]
    ),
    'retryMessage' => Operation.new(
      name: 'messages.retry', http: 'POST', path: '/v1/messages/{id}/retry',
      retry_class: :once, result: :json, type: [:ref, 'Message'],
      accept: 'application/json', media: nil,
      path_params: %w[id], query: %w[]
    ),
    'cancelMessage' => Operation.new(
      name: 'messages.cancel', http: 'POST', path: '/v1/messages/{id}/cancel',
      retry_class: :once, result: :json, type: [:ref, 'Message'],
      accept: 'application/json', media: nil,
      path_params: %w[id], query: %w[]
    ),
    'getMessageWaiting' => Operation.new(
      name: 'messages.getWaiting', http: 'GET', path: '/v1/messages/{id}/waiting',
      retry_class: :safe, result: :json, type: [:ref, 'Waiting'],
      accept: 'application/json', media: nil,
      path_params: %w[id], query: %w[]
    ),
    'sealMessage' => Operation.new(
      name: 'evidence.seal', http: 'POST', path: '/v1/messages/{id}/seal',
      retry_class: :repeatable, result: :json, type: [:ref, 'Evidence'],
      accept: 'application/json', media: nil,
      path_params: %w[id], query: %w[]
    ),
    'getEvidence' => Operation.new(
      name: 'evidence.get', http: 'GET', path: '/v1/messages/{id}/evidence',
      retry_class: :safe, result: :json, type: [:ref, 'Evidence'],
      accept: 'application/json', media: nil,
      path_params: %w[id], query: %w[]
    ),
    'getProofBundle' => Operation.new(
      name: 'evidence.getBundle', http: 'GET', path: '/v1/messages/{id}/proof-bundle',
      retry_class: :safe, result: :bytes, type: nil,
      accept: 'application/zip', media: nil,
      path_params: %w[id], query: %w[]
    ),
    'getProofBundleJson' => Operation.new(
      name: 'evidence.getBundleJson', http: 'GET', path: '/v1/messages/{id}/proof-bundle',
      retry_class: :safe, result: :json, type: [:ref, 'ProofBundle'],
      accept: 'application/json', media: nil,
      path_params: %w[id], query: %w[]
    ),
    'getProofBundlePdf' => Operation.new(
      name: 'evidence.getBundlePdf', http: 'GET', path: '/v1/messages/{id}/proof-bundle',
      retry_class: :safe, result: :bytes, type: nil,
      accept: 'application/pdf', media: nil,
      path_params: %w[id], query: %w[]
    ),
    'verifyMessage' => Operation.new(
      name: 'evidence.verify', http: 'POST', path: '/v1/verify',
      retry_class: :repeatable, result: :json, type: [:ref, 'Verification'],
      accept: 'application/json', media: 'application/json',
      path_params: %w[], query: %w[]
    ),
    'listVerifications' => Operation.new(
      name: 'evidence.listVerifications', http: 'GET', path: '/v1/verifications',
      retry_class: :safe, result: :page, type: [:ref, 'VerificationRecordPage'],
      accept: 'application/json', media: nil,
      path_params: %w[], query: %w[limit after message_id result created_after created_before]
    ),
    'openShare' => Operation.new(
      name: 'shares.open', http: 'POST', path: '/prove/{id}',
      retry_class: :repeatable, result: :bytes, type: nil,
      accept: 'application/zip', media: 'application/json',
      path_params: %w[id], query: %w[]
    ),
    'openShareJson' => Operation.new(
      name: 'shares.openJson', http: 'POST', path: '/prove/{id}',
      retry_class: :repeatable, result: :json, type: [:ref, 'ProofBundle'],
      accept: 'application/json', media: 'application/json',
      path_params: %w[id], query: %w[]
    ),
    'createTemplate' => Operation.new(
      name: 'templates.create', http: 'POST', path: '/v1/templates',
      retry_class: :once, result: :json, type: [:ref, 'Template'],
      accept: 'application/json', media: 'application/json',
      path_params: %w[], query: %w[]
    ),
    'listTemplates' => Operation.new(
      name: 'templates.list', http: 'GET', path: '/v1/templates',
      retry_class: :safe, result: :page, type: [:ref, 'TemplatePage'],
      accept: 'application/json', media: nil,
      path_params: %w[], query: %w[limit after]
    ),
    'getTemplate' => Operation.new(
      name: 'templates.get', http: 'GET', path: '/v1/templates/{id}',
      retry_class: :safe, result: :json, type: [:ref, 'Template'],
      accept: 'application/json', media: nil,
      path_params: %w[id], query: %w[]
    ),
    'updateTemplate' => Operation.new(
      name: 'templates.update', http: 'PATCH', path: '/v1/templates/{id}',
      retry_class: :repeatable, result: :json, type: [:ref, 'Template'],
      accept: 'application/json', media: 'application/json',
      path_params: %w[id], query: %w[]
    ),
    'deleteTemplate' => Operation.new(
      name: 'templates.delete', http: 'DELETE', path: '/v1/templates/{id}',
      retry_class: :repeatable, result: :none, type: nil,
      accept: nil, media: nil,
      path_params: %w[id], query: %w[]
    ),
    'listTemplateVersions' => Operation.new(
      name: 'templates.listVersions', http: 'GET', path: '/v1/templates/{id}/versions',
      retry_class: :safe, result: :page, type: [:ref, 'TemplateVersionPage'],
      accept: 'application/json', media: nil,
      path_params: %w[id], query: %w[limit after]
    ),
    'renderTemplateDraft' => Operation.new(
      name: 'templates.renderDraft', http: 'POST', path: '/v1/templates/render',
      retry_class: :repeatable, result: :json, type: [:ref, 'RenderedDraft'],
      accept: 'application/json', media: 'application/json',
      path_params: %w[], query: %w[]
    ),
    'renderTemplate' => Operation.new(
      name: 'templates.render', http: 'POST', path: '/v1/templates/{id}/render',
      retry_class: :repeatable, result: :json, type: [:ref, 'RenderedTemplate'],
      accept: 'application/json', media: 'application/json',
      path_params: %w[id], query: %w[]
    ),
    'createDomain' => Operation.new(
      name: 'domains.create', http: 'POST', path: '/v1/domains',
      retry_class: :once, result: :json, type: [:ref, 'Domain'],
      accept: 'application/json', media: 'application/json',
      path_params: %w[], query: %w[]
    ),
    'listDomains' => Operation.new(
      name: 'domains.list', http: 'GET', path: '/v1/domains',
      retry_class: :safe, result: :page, type: [:ref, 'DomainPage'],
      accept: 'application/json', media: nil,
      path_params: %w[], query: %w[limit after status]
    ),
    'getDomain' => Operation.new(
      name: 'domains.get', http: 'GET', path: '/v1/domains/{id}',
      retry_class: :safe, result: :json, type: [:ref, 'Domain'],
      accept: 'application/json', media: nil,
      path_params: %w[id], query: %w[]
    ),
    'deleteDomain' => Operation.new(
      name: 'domains.delete', http: 'DELETE', path: '/v1/domains/{id}',
      retry_class: :repeatable, result: :none, type: nil,
      accept: nil, media: nil,
      path_params: %w[id], query: %w[]
    ),
    'verifyDomain' => Operation.new(
      name: 'domains.verify', http: 'POST', path: '/v1/domains/{id}/verify',
      retry_class: :repeatable, result: :json, type: [:ref, 'Domain'],
      accept: 'application/json', media: nil,
      path_params: %w[id], query: %w[]
    ),
    'rotateDkim' => Operation.new(
      name: 'domains.rotateDkim', http: 'POST', path: '/v1/domains/{id}/rotate-dkim',
      retry_class: :once, result: :json, type: [:ref, 'Domain'],
      accept: 'application/json', media: nil,
      path_params: %w[id], query: %w[]
    ),
    'getDomainReports' => Operation.new(
      name: 'domains.reports', http: 'GET', path: '/v1/domains/{id}/reports',
      retry_class: :safe, result: :json, type: [:ref, 'DomainReports'],
      accept: 'application/json', media: nil,
      path_params: %w[id], query: %w[days]
    ),
    'getDomainRequirements' => Operation.new(
      name: 'domains.requirements', http: 'GET', path: '/v1/domains/{id}/requirements',
      retry_class: :safe, result: :json, type: [:ref, 'DomainRequirements'],
      accept: 'application/json', media: nil,
      path_params: %w[id], query: %w[]
    ),
    'createSender' => Operation.new(
      name: 'senders.create', http: 'POST', path: '/v1/senders',
      retry_class: :once, result: :json, type: [:ref, 'Sender'],
      accept: 'application/json', media: 'application/json',
      path_params: %w[], query: %w[]
    ),
    'listSenders' => Operation.new(
      name: 'senders.list', http: 'GET', path: '/v1/senders',
      retry_class: :safe, result: :page, type: [:ref, 'SenderPage'],
      accept: 'application/json', media: nil,
      path_params: %w[], query: %w[limit after active domain_id]
    ),
    'getSender' => Operation.new(
      name: 'senders.get', http: 'GET', path: '/v1/senders/{id}',
      retry_class: :safe, result: :json, type: [:ref, 'Sender'],
      accept: 'application/json', media: nil,
      path_params: %w[id], query: %w[]
    ),
    'updateSender' => Operation.new(
      name: 'senders.update', http: 'PATCH', path: '/v1/senders/{id}',
      retry_class: :repeatable, result: :json, type: [:ref, 'Sender'],
      accept: 'application/json', media: 'application/json',
      path_params: %w[id], query: %w[]
    ),
    'deleteSender' => Operation.new(
      name: 'senders.delete', http: 'DELETE', path: '/v1/senders/{id}',
      retry_class: :repeatable, result: :none, type: nil,
      accept: nil, media: nil,
      path_params: %w[id], query: %w[]
    ),
    'importSuppressions' => Operation.new(
      name: 'suppressions.importCsv', http: 'POST', path: '/v1/suppressions/import',
      retry_class: :repeatable, result: :json, type: [:ref, 'SuppressionImport'],
      accept: 'application/json', media: 'text/csv',
      path_params: %w[], query: %w[]
    ),
    'exportSuppressions' => Operation.new(
      name: 'suppressions.exportCsv', http: 'GET', path: '/v1/suppressions/export',
      retry_class: :safe, result: :text, type: nil,
      accept: 'text/csv', media: nil,
      path_params: %w[], query: %w[address source created_after created_before]
    ),
    'createSuppression' => Operation.new(
      name: 'suppressions.create', http: 'POST', path: '/v1/suppressions',
      retry_class: :repeatable, result: :json, type: [:ref, 'Suppression'],
      accept: 'application/json', media: 'application/json',
      path_params: %w[], query: %w[]
    ),
    'listSuppressions' => Operation.new(
      name: 'suppressions.list', http: 'GET', path: '/v1/suppressions',
      retry_class: :safe, result: :page, type: [:ref, 'SuppressionPage'],
      accept: 'application/json', media: nil,
      path_params: %w[], query: %w[limit after address source created_after created_before]
    ),
    'deleteSuppression' => Operation.new(
      name: 'suppressions.delete', http: 'DELETE', path: '/v1/suppressions/{id}',
      retry_class: :repeatable, result: :none, type: nil,
      accept: nil, media: nil,
      path_params: %w[id], query: %w[]
    ),
    'createWebhook' => Operation.new(
      name: 'webhooks.create', http: 'POST', path: '/v1/webhooks',
      retry_class: :once, result: :json, type: [:ref, 'WebhookWithSecret'],
      accept: 'application/json', media: 'application/json',
      path_params: %w[], query: %w[]
    ),
    'listWebhooks' => Operation.new(
      name: 'webhooks.list', http: 'GET', path: '/v1/webhooks',
      retry_class: :safe, result: :page, type: [:ref, 'WebhookPage'],
      accept: 'application/json', media: nil,
      path_params: %w[], query: %w[limit after]
    ),
    'getWebhook' => Operation.new(
      name: 'webhooks.get', http: 'GET', path: '/v1/webhooks/{id}',
      retry_class: :safe, result: :json, type: [:ref, 'Webhook'],
      accept: 'application/json', media: nil,
      path_params: %w[id], query: %w[]
    ),
    'updateWebhook' => Operation.new(
      name: 'webhooks.update', http: 'PATCH', path: '/v1/webhooks/{id}',
      retry_class: :repeatable, result: :json, type: [:ref, 'Webhook'],
      accept: 'application/json', media: 'application/json',
      path_params: %w[id], query: %w[]
    ),
    'deleteWebhook' => Operation.new(
      name: 'webhooks.delete', http: 'DELETE', path: '/v1/webhooks/{id}',
      retry_class: :repeatable, result: :none, type: nil,
      accept: nil, media: nil,
      path_params: %w[id], query: %w[]
    ),
    'rotateWebhookSecret' => Operation.new(
      name: 'webhooks.rotateSecret', http: 'POST', path: '/v1/webhooks/{id}/rotate-secret',
      retry_class: :once, result: :json, type: [:ref, 'WebhookWithSecret'],
      accept: 'application/json', media: nil,
      path_params: %w[id], query: %w[]
    ),
    'pingWebhook' => Operation.new(
      name: 'webhooks.ping', http: 'POST', path: '/v1/webhooks/{id}/ping',
      retry_class: :once, result: :json, type: [:ref, 'WebhookPing'],
      accept: 'application/json', media: nil,
      path_params: %w[id], query: %w[]
    ),
    'listWebhookDeliveries' => Operation.new(
      name: 'webhooks.listDeliveries', http: 'GET', path: '/v1/webhooks/{id}/deliveries',
      retry_class: :safe, result: :page, type: [:ref, 'WebhookDeliveryPage'],
      accept: 'application/json', media: nil,
      path_params: %w[id], query: %w[limit after status type created_after created_before]
    ),
    'getWebhookDelivery' => Operation.new(
      name: 'webhooks.getDelivery', http: 'GET', path: '/v1/webhooks/{id}/deliveries/{did}',
      retry_class: :safe, result: :json, type: [:ref, 'WebhookDeliveryDetail'],
      accept: 'application/json', media: nil,
      path_params: %w[id did], query: %w[]
    ),
    'replayWebhookDelivery' => Operation.new(
      name: 'webhooks.replayDelivery', http: 'POST', path: '/v1/webhooks/{id}/deliveries/{did}/replay',
      retry_class: :once, result: :json, type: [:ref, 'WebhookReplay'],
      accept: 'application/json', media: nil,
      path_params: %w[id did], query: %w[]
    ),
    'countWebhookReplay' => Operation.new(
      name: 'webhooks.countReplay', http: 'GET', path: '/v1/webhooks/{id}/replay',
      retry_class: :safe, result: :json, type: [:ref, 'WebhookReplayCount'],
      accept: 'application/json', media: nil,
      path_params: %w[id], query: %w[since]
    ),
    'replayWebhookDeliveries' => Operation.new(
      name: 'webhooks.replay', http: 'POST', path: '/v1/webhooks/{id}/replay',
      retry_class: :once, result: :json, type: [:ref, 'WebhookReplay'],
      accept: 'application/json', media: 'application/json',
      path_params: %w[id], query: %w[]
    ),
    'listEvents' => Operation.new(
      name: 'events.list', http: 'GET', path: '/v1/events',
      retry_class: :safe, result: :page, type: [:ref, 'AccountEventPage'],
      accept: 'application/json', media: nil,
      path_params: %w[], query: %w[limit after order type message_id created_after created_before]
    ),
    'getRates' => Operation.new(
      name: 'rates.get', http: 'GET', path: '/v1/rates',
      retry_class: :safe, result: :json, type: [:ref, 'Rates'],
      accept: 'application/json', media: nil,
      path_params: %w[], query: %w[days]
    ),
    'getAccount' => Operation.new(
      name: 'account.get', http: 'GET', path: '/v1/account',
      retry_class: :safe, result: :json, type: [:ref, 'Account'],
      accept: 'application/json', media: nil,
      path_params: %w[], query: %w[]
    ),
    'createApiKey' => Operation.new(
      name: 'apiKeys.create', http: 'POST', path: '/v1/api-keys',
      retry_class: :once, result: :json, type: [:ref, 'ApiKeyWithSecret'],
      accept: 'application/json', media: 'application/json',
      path_params: %w[], query: %w[]
    ),
    'listApiKeys' => Operation.new(
      name: 'apiKeys.list', http: 'GET', path: '/v1/api-keys',
      retry_class: :safe, result: :page, type: [:ref, 'ApiKeyPage'],
      accept: 'application/json', media: nil,
      path_params: %w[], query: %w[limit after]
    ),
    'revokeApiKey' => Operation.new(
      name: 'apiKeys.revoke', http: 'DELETE', path: '/v1/api-keys/{id}',
      retry_class: :repeatable, result: :none, type: nil,
      accept: nil, media: nil,
      path_params: %w[id], query: %w[]
    ),
    'getLogCheckpoint' => Operation.new(
      name: 'log.checkpoint', http: 'GET', path: '/log/checkpoint',
      retry_class: :safe, result: :text, type: nil,
      accept: 'text/plain; charset=utf-8', media: nil,
      path_params: %w[], query: %w[]
    ),
    'getLogKey' => Operation.new(
      name: 'log.key', http: 'GET', path: '/log/key',
      retry_class: :safe, result: :text, type: nil,
      accept: 'text/plain; charset=utf-8', media: nil,
      path_params: %w[], query: %w[]
    ),
    'getLogTile' => Operation.new(
      name: 'log.tile', http: 'GET', path: '/log/tile/{path}',
      retry_class: :safe, result: :bytes, type: nil,
      accept: 'application/octet-stream', media: nil,
      path_params: %w[path], query: %w[]
    ),
    'getLogCertificate' => Operation.new(
      name: 'log.certificate', http: 'GET', path: '/log/certificates/{tree_size}',
      retry_class: :safe, result: :json, type: [:ref, 'LogCertificate'],
      accept: 'application/json', media: nil,
      path_params: %w[tree_size], query: %w[]
    ),
    'getHealth' => Operation.new(
      name: 'health.live', http: 'GET', path: '/healthz',
      retry_class: :safe, result: :json, type: [:ref, 'Health'],
      accept: 'application/json', media: nil,
      path_params: %w[], query: %w[]
    ),
    'getReadiness' => Operation.new(
      name: 'health.ready', http: 'GET', path: '/readyz',
      retry_class: :safe, result: :json, type: [:ref, 'Health'],
      accept: 'application/json', media: nil,
      path_params: %w[], query: %w[]
    ),
  }.freeze
end
