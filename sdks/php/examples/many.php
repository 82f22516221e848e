<?php

require is_file('vendor/autoload.php') ? 'vendor/autoload.php' : __DIR__ . '/../autoload.php';

$acuse = new Acuse\Client();
$draft = ['from' => 'billing@sandbox.test', 'to' => 'delivered@sandbox.test', 'text' => 'Hello.'];

$items = [];
foreach (['a', 'b', 'c'] as $name) {
    $items[] = ['subject' => "Invoice $name", 'idempotency_key' => "invoice-$name"] + $draft;
}
foreach ($acuse->messages->sendBatch($items) as $item) {
    echo $item->idempotencyKey, ' ', $item->status, PHP_EOL;
}

// Calls that wait side by side in one thread.
$calls = [];
foreach (['ana', 'eva'] as $name) {
    $calls[$name] = fn () => $acuse->messages->send(['subject' => "For $name"] + $draft, "greeting-$name");
}
foreach (Acuse\Together::run($calls) as $name => $sent) {
    echo $name, ' ', $sent instanceof Throwable ? $sent->getMessage() : $sent->message->id, PHP_EOL;
}

foreach ($acuse->messages->list(limit: 2) as $message) {
    echo $message->subject, ' ', $message->status, PHP_EOL;
}
