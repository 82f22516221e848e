<?php

require is_file('vendor/autoload.php') ? 'vendor/autoload.php' : __DIR__ . '/../autoload.php';

$acuse = new Acuse\Client();
$sent = $acuse->messages->send(['from' => 'billing@sandbox.test', 'to' => 'delivered@sandbox.test',
    'subject' => 'Invoice 1', 'text' => 'Hello.'], idempotencyKey: 'invoice-1');
echo $sent->message->id, $sent->replayed ? ' again' : '', PHP_EOL;
