<?php

require 'vendor/autoload.php';

foreach (file('headers.txt', FILE_IGNORE_NEW_LINES) as $line) {
    [$name, $value] = explode(': ', $line, 2);
    $headers[$name] = $value;
}
$event = Acuse\Webhook::verify(file_get_contents('body.json'), $headers, file_get_contents('secret.txt'));
$report = Acuse\Verifier::verify('proof.zip', Acuse\Verifier::TRUST_BUNDLE);
echo $report->verdict, ' ', $event->type, PHP_EOL;
