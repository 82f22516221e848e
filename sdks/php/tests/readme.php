<?php

declare(strict_types=1);

use Acuse\Internal\Evidence\Container;
use Acuse\Testing\Deliveries;

// Runs the examples of README.md, one after the other, against the service of ACUSE_URL, in a project that has
// the library. They see the variables of those before them, and what stands here.
require 'vendor/autoload.php';

const SECRET = 'whsec_c2VjcmV0IG9mIGEgdGVzdA==';
$readme = file_get_contents(__DIR__ . '/../README.md');
preg_match_all('/^(<!-- not run[^\n]*\n)?```php\n(.*?)^```/ms', $readme, $blocks, PREG_SET_ORDER);
$from = 'billing@sandbox.test';
$to = 'delivered@sandbox.test';
$message = $toAna = $toEva = ['from' => $from, 'to' => $to, 'subject' => 'Notice', 'text' => 'Hello.'];
$items = [['idempotency_key' => 'readme-1'] + $message, $message];
$event = ['type' => 'email.bounced', 'created_at' => '2026-11-20T09:30:00.000Z', 'data' => ['event_id' => 'e1']];
[$body, $headers] = Deliveries::sign($event, SECRET);
file_put_contents('invoice-2.pdf', '%PDF-');

function program(Acuse\Client $acuse): void
{
    $acuse->messages->send(['from' => 'a@example.com', 'to' => 'ana@example.com', 'text' => 'Hello.']);
}

$ran = 0;
foreach ($blocks as [, $skipped, $block]) {
    if ($skipped !== '') {
        continue;
    }
    if (str_contains($block, 'policy.json')) {
        // As a person does: the policy of a bundle, looked at and kept.
        file_put_contents('policy.json', Container::read(file_get_contents('proof.zip'))['policy.json']);
    }
    // Other languages' examples have the same keys, with other messages.
    eval(preg_replace("/'(invoice-\d)'/", "'php-$1'", $block));
    $id = $sent->message->id;
    $pinnedKey = $acuse->log->key();
    $ran++;
}
echo "readme: $ran examples ran", PHP_EOL;
