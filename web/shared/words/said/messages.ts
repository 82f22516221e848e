import type { Row } from './row.ts';

export const MESSAGES: readonly Row[] = [
  [
    'Nobody knows whether the message was sent before the database was restored: the operator decides what happens to it.',
    'No se sabe si el mensaje se envió antes de que se restaurara la base de datos: el operador decide qué se hace con él.',
  ],
  [
    'The message is scheduled: to send it now, PATCH it with {"send_at": null}.',
    'El mensaje está programado: para enviarlo ahora, quite su hora.',
    'The message is scheduled: to send it now, remove its time.',
  ],
  [
    'The message is {status}: there is nothing to retry.',
    'El mensaje está «{status}»: no hay nada que reintentar.',
  ],
  [
    'The message is being handed over right now: try again when this attempt has ended.',
    'El mensaje se está entregando en este momento: intente de nuevo cuando termine este intento.',
  ],
  [
    'The operator has paused this mail: it continues when the operator resumes it.',
    'El operador puso en pausa este correo: continúa cuando el operador lo reanude.',
  ],
  [
    'The message has not been tried yet and is already due.',
    'El mensaje aún no se intenta entregar y ya le toca.',
  ],
  [
    'The state of the message has just changed: try again.',
    'El estado del mensaje acaba de cambiar: intente de nuevo.',
  ],
  [
    "The message is {status}: the recipient's server has it.",
    'El mensaje está «{status}»: el servidor del destinatario ya lo tiene.',
  ],
  [
    'The message is already {status}: there is nothing to cancel.',
    'El mensaje ya está «{status}»: no hay nada que cancelar.',
  ],
  [
    'The message is {status}: only a scheduled message can be moved.',
    'El mensaje está «{status}»: solo se puede cambiar la hora de un mensaje programado.',
  ],
  [
    'The message is {status}, and still being delivered. To try it now: POST /v1/messages/{id}/retry; to send it again from the start, cancel it first.',
    'El mensaje está «{status}» y su entrega continúa. Puede reintentarlo ahora o, para enviarlo desde el principio, cancelarlo primero.',
    'The message is {status}, and still being delivered. Retry it now, or cancel it first to send it again from the start.',
  ],
  [
    'send_at {at} is in the past; it is {now}. Check its offset from UTC, or leave send_at out to send at once.',
    'La hora de envío, {at}, ya pasó; ahora es {now}.',
    'The time to send, {at}, is in the past; it is {now}.',
  ],
  [
    'send_at {at} is too far ahead: at most 30 days after the message is accepted, {latest}.',
    'La hora de envío, {at}, está demasiado lejos: a lo más 30 días, {latest}.',
    'The time to send, {at}, is too far ahead: at most 30 days, {latest}.',
  ],
  [
    'send_at must be a time with its offset from UTC (RFC 3339), such as 2026-11-20T09:30:00-06:00 or 2026-11-20T15:30:00Z.',
    'La hora de envío no es una fecha con hora válida.',
    'The time to send is not a valid date and time.',
  ],
  [
    'The content of this message was deleted at {at}, {why}. Its status, events and attempts stay readable, and its sealed evidence stays verifiable.',
    'El contenido de este mensaje se eliminó el {at}. Su estado, eventos e intentos siguen disponibles, y su evidencia sellada se puede seguir verificando.',
  ],
  [
    'The message was sent with certified=false: it is not in a Merkle batch and never will be.',
    'El mensaje no es certificado: no tiene sello ni lo tendrá.',
    'The message is not certified: it has no seal and never will.',
  ],
  [
    'The message was sent with certified=false: it can never be sealed. Send it again with certified=true.',
    'El mensaje no es certificado y no se puede sellar. Envíelo de nuevo como certificado.',
    'The message is not certified and cannot be sealed. Send it again as certified.',
  ],
  [
    'The message is not sealed yet: retry in a few seconds.',
    'El mensaje aún no está sellado: intente de nuevo en unos segundos.',
  ],
  [
    'The log {origin}, for which the message was accepted, ended at {at}: it is not sealed and never will be. To have a sealed one, send it again.',
    'El registro {origin}, en el que se aceptó el mensaje, terminó el {at}: no está sellado ni lo estará. Para tener uno sellado, envíelo de nuevo.',
  ],
  ['No message has the id {id}.', 'Ningún mensaje tiene el id {id}.'],
  ['No such message. Check the id.', 'No existe ese mensaje. Revise el id.'],
  [
    'No message with the id {id} has an unknown outcome.',
    'Ningún mensaje con el id {id} tiene un resultado desconocido.',
  ],
  [
    'There are {found} such messages now, not {count}: review them, then repeat with the new count.',
    'Ahora son {found} mensajes, no {count}: revíselos y repita con el nuevo número.',
  ],
  [
    'The message is still waiting to be sent: cancel it first, then erase it.',
    'El mensaje aún espera su envío: cancélelo primero y después bórrelo.',
  ],
  [
    'The message is certified and its evidence must be kept until {at}: to erase it anyway, set force.',
    'El mensaje es certificado y su evidencia debe conservarse hasta el {at}: para borrarlo de todos modos, márquelo.',
    'The message is certified and its evidence must be kept until {at}: to erase it anyway, say so.',
  ],
  ['No such mail is in the role mailbox.', 'No hay tal correo en el buzón de rol.'],
  ['The message has no {kind} part to show.', 'El mensaje no tiene una parte {kind} que mostrar.'],
  [
    'expires_at has passed: give a time in the future.',
    'El vencimiento ya pasó: elija una fecha futura.',
    'The end has passed: choose a time in the future.',
  ],
  [
    'expires_at is more than {days} days ahead: give an earlier time.',
    'El vencimiento está a más de {days} días: elija una fecha anterior.',
    'The end is more than {days} days ahead: choose an earlier time.',
  ],
  [
    'A check is running: wait for its end, or see its progress.',
    'Hay una revisión en curso: espere a que termine o vea su avance.',
  ],
  [
    'The database was restored to an earlier point, and the service changes nothing until its operator has recovered it. Try again later with the same Idempotency-Key.',
    'La base de datos se restauró a un momento anterior y el servicio no cambia nada hasta que su operador lo recupere. Intente más tarde.',
    'The database was restored to an earlier point, and the service changes nothing until its operator has recovered it. Try again later.',
  ],
];

export const WAITING: readonly Row[] = [
  [
    'It is {status} but not in the queue, which should never happen: run acuse fsck and report this.',
    'Está «{status}» pero no en la cola, lo que nunca debería pasar: ejecute acuse fsck y repórtelo.',
  ],
  [
    'It has been held since {at}, when the database was restored: it may have been sent before.',
    'Está retenido desde el {at}, cuando se restauró la base de datos: puede que ya se haya enviado.',
  ],
  ['acuse queue resolve {id} decides about it.', 'acuse queue resolve {id} decide qué se hace con él.'],
  ['The operator decides what happens to it.', 'El operador decide qué se hace con él.'],
  [
    'It was accepted in the sandbox, so it goes only to the test mailbox: it is held while this service delivers for real.',
    'Se aceptó en el entorno de pruebas, por lo que solo va al buzón de prueba: se retiene mientras este servicio entregue de verdad.',
  ],
  [
    'It was accepted for real delivery, so the test mailbox never gets it: it is held while this service is a sandbox.',
    'Se aceptó para entrega real, por lo que nunca va al buzón de prueba: se retiene mientras este servicio sea un entorno de pruebas.',
  ],
  ['It was delivered at {at}.', 'Se entregó el {at}.'],
  ['It was delivered at {at}: {reply}.', 'Se entregó el {at}: {reply}.'],
  [
    'It was delivered, and the recipient complained at {at}.',
    'Se entregó y el destinatario lo reportó como no deseado el {at}.',
  ],
  ['It bounced at {at}.', 'Rebotó el {at}.'],
  ['It bounced at {at}: {reply}.', 'Rebotó el {at}: {reply}.'],
  ['It was cancelled at {at}.', 'Se canceló el {at}.'],
  ['It was cancelled at {at}: {reply}.', 'Se canceló el {at}: {reply}.'],
  [
    'It is scheduled: it is queued at {at}, in {span}.',
    'Está programado: entra a la cola el {at}, en {span}.',
  ],
  [
    'It has been due on the schedule since {at}, for {span}.',
    'Su hora programada pasó el {at}, hace {span}.',
  ],
  ['It waits for its next attempt at {at}, in {span}.', 'Espera su siguiente intento el {at}, en {span}.'],
  ['It has been due since {at}, for {span}.', 'Le toca desde el {at}, hace {span}.'],
  ['It is being handed over right now (attempt {n}).', 'Se está entregando en este momento (intento {n}).'],
  [
    'A delivery process is handling it now (attempt {n}). Its lease ends at {at} and is extended while the process works; if the process died, the message comes due then.',
    'Un proceso de entrega lo tiene ahora (intento {n}). Su reserva termina el {at} y se extiende mientras el proceso trabaje; si el proceso murió, al mensaje le toca entonces.',
  ],
  [
    'The account {name} was paused at {at} by {by}: {note}. To resume: {command}',
    '{by} puso en pausa la cuenta {name} el {at}: {note}. Para reanudar: {command}',
  ],
  [
    'The destination {name} was paused at {at} by {by}: {note}. To resume: {command}',
    '{by} puso en pausa el destino {name} el {at}: {note}. Para reanudar: {command}',
  ],
  [
    'All mail of this account was paused by the operator at {at} and continues when the operator resumes it.',
    'El operador puso en pausa todo el correo de esta cuenta el {at}; continúa cuando el operador lo reanude.',
  ],
  [
    'Mail to {name} was paused by the operator at {at} and continues when the operator resumes it.',
    'El operador puso en pausa el correo para {name} el {at}; continúa cuando el operador lo reanude.',
  ],
  [
    '{destination} was repeatedly busy or unreachable; paused until {at}.',
    '{destination} estuvo ocupado o inaccesible varias veces; en pausa hasta el {at}.',
  ],
  [
    '{destination} may have {places} SMTP sessions at once; {used} are in use and {waiting} messages wait for one.',
    '{destination} puede tener {places} sesiones SMTP a la vez; {used} están en uso y {waiting} mensajes esperan una.',
  ],
  [
    'All SMTP sessions that {destination} may have at once are in use; it gets the next one that is free.',
    'Todas las sesiones SMTP que {destination} puede tener a la vez están en uso; recibe la próxima que quede libre.',
  ],
  ['One message of its account is due before it.', 'Un mensaje de su cuenta va antes.'],
  ['{n} messages of its account are due before it.', '{n} mensajes de su cuenta van antes.'],
  ['It has not been tried yet.', 'Aún no se intenta entregar.'],
  ['Last reply after one attempt: {reply}.', 'Última respuesta después de un intento: {reply}.'],
  ['Last reply after {n} attempts: {reply}.', 'Última respuesta después de {n} intentos: {reply}.'],
  [
    'It expires at {at}, in {span}; then it bounces as expired.',
    'Vence el {at}, en {span}; entonces rebota por vencimiento.',
  ],
  [
    'Expired at {at}: it bounces as expired at its next turn.',
    'Venció el {at}: rebota por vencimiento en su próximo turno.',
  ],
  ['Nothing known blocks it.', 'No se conoce nada que lo detenga.'],
  [
    'Is a process with the role delivery running on this database?',
    '¿Hay un proceso con el rol delivery en esta base de datos?',
  ],
  ['If this lasts for minutes, tell the operator.', 'Si esto dura minutos, avise al operador.'],
  [
    'It was accepted in the sandbox, so it goes only to the test mailbox: it is held until a process with ACUSE_DELIVERY=sandbox runs.',
    'Se aceptó en el entorno de pruebas, por lo que solo va al buzón de prueba: se retiene hasta que haya un proceso con ACUSE_DELIVERY=sandbox.',
  ],
  [
    'It was accepted for real delivery, so the test mailbox never gets it: it is held while processes run with ACUSE_DELIVERY=sandbox.',
    'Se aceptó para entrega real, por lo que nunca va al buzón de prueba: se retiene mientras los procesos trabajen con ACUSE_DELIVERY=sandbox.',
  ],
];
