import type { Row } from './row.ts';

export const MESSAGES: readonly Row[] = [
  {
    said: 'Say what to look for: q, tenant_id, or both.',
    es: 'Indique qué buscar: un texto, una cuenta o ambos.',
    en: 'Say what to look for: a text, an account, or both.',
  },
  {
    said: 'Nobody knows whether the message was sent before the database was restored: the operator decides what happens to it.',
    es: 'No se sabe si el mensaje se envió antes de que se restaurara la base de datos: el operador decide qué se hace con él.',
  },
  {
    said: 'The message is scheduled: to send it now, PATCH it with {"send_at": null}.',
    es: 'El mensaje está programado: para enviarlo ahora, quite su hora.',
    en: 'The message is scheduled: to send it now, remove its time.',
  },
  {
    said: 'The message is {status}: there is nothing to retry.',
    es: 'El mensaje está «{status}»: no hay nada que reintentar.',
  },
  {
    said: 'The message is being handed over right now: try again when this attempt has ended.',
    es: 'El mensaje se está entregando en este momento: intente de nuevo cuando termine este intento.',
  },
  {
    said: 'The operator has paused this mail: it continues when the operator resumes it.',
    es: 'El operador puso en pausa este correo: continúa cuando el operador lo reanude.',
  },
  {
    said: 'The message has not been tried yet and is already due.',
    es: 'Ya es hora de entregar el mensaje y aún no se ha intentado.',
  },
  {
    said: 'The state of the message has just changed: try again.',
    es: 'El estado del mensaje acaba de cambiar: intente de nuevo.',
  },
  {
    said: "The message is {status}: the recipient's server has it.",
    es: 'El mensaje está «{status}»: el servidor del destinatario ya lo tiene.',
  },
  {
    said: 'The message is already {status}: there is nothing to cancel.',
    es: 'El mensaje ya está «{status}»: no hay nada que cancelar.',
  },
  {
    said: 'The message is {status}: only a scheduled message can be moved.',
    es: 'El mensaje está «{status}»: solo se puede cambiar la hora de un mensaje programado.',
  },
  {
    said: 'The message is {status}, and still being delivered. To try it now: POST /v1/messages/{id}/retry; to send it again from the start, cancel it first.',
    es: 'El mensaje está «{status}» y su entrega continúa. Puede reintentarlo ahora o, para enviarlo desde el principio, cancelarlo primero.',
    en: 'The message is {status}, and still being delivered. Retry it now, or cancel it first to send it again from the start.',
  },
  {
    said: 'send_at {at} is in the past; it is {now}. Check its offset from UTC, or leave send_at out to send at once.',
    es: 'La hora de envío, {at}, ya pasó; ahora es {now}.',
    en: 'The time to send, {at}, is in the past; it is {now}.',
  },
  {
    said: 'send_at {at} is too far ahead: at most 30 days after the message is accepted, {latest}.',
    es: 'La hora de envío, {at}, está demasiado lejos: a lo más 30 días, {latest}.',
    en: 'The time to send, {at}, is too far ahead: at most 30 days, {latest}.',
  },
  {
    said: 'send_at must be a time with its offset from UTC (RFC 3339), such as 2026-11-20T09:30:00-06:00 or 2026-11-20T15:30:00Z.',
    es: 'La hora de envío no es una fecha con hora válida.',
    en: 'The time to send is not a valid date and time.',
  },
  {
    said: 'The content of this message was deleted at {at}, {why}. Its status, events and attempts stay readable, and its sealed evidence stays verifiable.',
    es: 'El contenido de este mensaje se eliminó el {at}. Su estado, eventos e intentos siguen disponibles, y su evidencia sellada se puede seguir verificando.',
  },
  {
    said: 'The message was sent with certified=false: it is not in a Merkle batch and never will be.',
    es: 'El mensaje no es certificado: no tiene sello ni lo tendrá.',
    en: 'The message is not certified: it has no seal and never will.',
  },
  {
    said: 'The message was sent with certified=false: it can never be sealed. Send it again with certified=true.',
    es: 'El mensaje no es certificado y no se puede sellar. Envíelo de nuevo como certificado.',
    en: 'The message is not certified and cannot be sealed. Send it again as certified.',
  },
  {
    said: 'The message is not sealed yet: retry in a few seconds.',
    es: 'El mensaje aún no está sellado: intente de nuevo en unos segundos.',
  },
  {
    said: 'The log {origin}, for which the message was accepted, ended at {at}: it is not sealed and never will be. To have a sealed one, send it again.',
    es: 'El registro {origin}, en el que se aceptó el mensaje, terminó el {at}: no está sellado ni lo estará. Para tener uno sellado, envíelo de nuevo.',
  },
  { said: 'No message has the id {id}.', es: 'Ningún mensaje tiene el id {id}.' },
  { said: 'No such message. Check the id.', es: 'No existe ese mensaje. Revise el id.' },
  {
    said: 'No message with the id {id} has an unknown outcome.',
    es: 'Ningún mensaje con el id {id} tiene un resultado desconocido.',
  },
  {
    said: 'There are {found} such messages now, not {count}: review them, then repeat with the new count.',
    es: 'Ahora son {found} mensajes, no {count}: revíselos y repita con el nuevo número.',
  },
  {
    said: 'The message is still waiting to be sent: cancel it first, then erase it.',
    es: 'El mensaje aún espera su envío: cancélelo primero y después bórrelo.',
  },
  {
    said: 'The message is certified and its evidence must be kept until {at}: to erase it anyway, set force.',
    es: 'El mensaje es certificado y su evidencia debe conservarse hasta el {at}: para borrarlo de todos modos, márquelo.',
    en: 'The message is certified and its evidence must be kept until {at}: to erase it anyway, say so.',
  },
  { said: 'No such mail is in the role mailbox.', es: 'Ese correo no está en el buzón de rol.' },
  {
    said: 'The message has no {kind} part to show.',
    es: 'El mensaje no tiene una parte {kind} que mostrar.',
  },
  {
    said: 'expires_at has passed: give a time in the future.',
    es: 'El vencimiento ya pasó: elija una fecha futura.',
    en: 'The end has passed: choose a time in the future.',
  },
  {
    said: 'expires_at is more than {days} days ahead: give an earlier time.',
    es: 'El vencimiento está a más de {days} días: elija una fecha anterior.',
    en: 'The end is more than {days} days ahead: choose an earlier time.',
  },
  {
    said: 'A check is running: wait for its end, or see its progress.',
    es: 'Hay una revisión en curso: espere a que termine o vea su avance.',
  },
  {
    said: 'The database was restored to an earlier point, and the service changes nothing until its operator has recovered it. Try again later with the same Idempotency-Key.',
    es: 'La base de datos se restauró a un momento anterior y el servicio no cambia nada hasta que su operador lo recupere. Intente más tarde.',
    en: 'The database was restored to an earlier point, and the service changes nothing until its operator has recovered it. Try again later.',
  },
  {
    said: 'The evidence has no time-stamped PDF yet, or has changed since. A new one costs a time-stamp and takes the scope messages:send; evidence:read is enough to read it afterwards.',
    es: 'La evidencia aún no tiene un PDF con sello de tiempo, o cambió desde entonces. Uno nuevo cuesta un sello de tiempo: pídaselo a un desarrollador o propietario de la cuenta. Después podrá descargarlo.',
    en: 'The evidence has no time-stamped PDF yet, or has changed since. A new one costs a time-stamp: ask a developer or owner of the account for it. You can download it afterwards.',
  },
  {
    said: 'No time-stamping authority answers at the moment; nothing was stored. Retry after the seconds in Retry-After.',
    es: 'Ninguna autoridad de sellado de tiempo responde en este momento; no se guardó nada. Intente de nuevo en un momento.',
    en: 'No time-stamping authority answers at the moment; nothing was stored. Try again in a moment.',
  },
  {
    said: 'Too many PDFs are being made at once. Retry after the seconds in Retry-After.',
    es: 'Se están generando demasiados PDF a la vez. Intente de nuevo en un momento.',
    en: 'Too many PDFs are being made at once. Try again in a moment.',
  },
  {
    said: 'Too many constancias are being requested at once. Retry after the seconds in Retry-After.',
    es: 'Se están pidiendo demasiadas constancias a la vez. Intente de nuevo en un momento.',
    en: 'Too many constancias are being requested at once. Try again in a moment.',
  },
  {
    said: 'Another request for this constancia is still waiting for its answer. Retry after the seconds in Retry-After.',
    es: 'Otra solicitud de esta constancia aún espera respuesta. Intente de nuevo en un momento.',
    en: 'Another request for this constancia is still waiting for its answer. Try again in a moment.',
  },
  {
    said: 'The content of this message is in an archive, which cannot be reached at the moment. Retry after the seconds in Retry-After.',
    es: 'El contenido de este mensaje está en un archivo mensual que ahora no se puede alcanzar. Intente de nuevo en un momento.',
    en: 'The content of this message is in an archive, which cannot be reached at the moment. Try again in a moment.',
  },
  {
    said: 'Too many case files are being made at once. Retry after the seconds in Retry-After.',
    es: 'Se están preparando demasiados expedientes a la vez. Intente de nuevo en unos segundos.',
    en: 'Too many case files are being made at once. Try again in a few seconds.',
  },
  {
    said: 'Too many links are being opened at once. Retry after the seconds in Retry-After.',
    es: 'Se están abriendo demasiados enlaces a la vez. Intente de nuevo en unos segundos.',
    en: 'Too many links are being opened at once. Try again in a few seconds.',
  },
  {
    said: 'Too many archived contents are being read at once. Retry after the seconds in Retry-After.',
    es: 'Se están leyendo demasiados contenidos archivados a la vez. Intente de nuevo en un momento.',
    en: 'Too many archived contents are being read at once. Try again in a moment.',
  },
];

export const WAITING: readonly Row[] = [
  {
    said: 'It is {status} but not in the queue, which should never happen: run acuse fsck and report this.',
    es: 'Está «{status}» pero no en la cola, lo que nunca debería pasar: ejecute acuse fsck y repórtelo.',
  },
  {
    said: 'It has been held since {at}, when the database was restored: it may have been sent before.',
    es: 'Está retenido desde el {at}, cuando se restauró la base de datos: puede que ya se haya enviado.',
  },
  {
    said: 'acuse queue resolve {id} decides about it.',
    es: 'acuse queue resolve {id} decide qué se hace con él.',
  },
  { said: 'The operator decides what happens to it.', es: 'El operador decide qué se hace con él.' },
  {
    said: 'It was accepted in the sandbox, so it goes only to the test mailbox: it is held while this service delivers for real.',
    es: 'Se aceptó en el entorno de pruebas, por lo que solo va al buzón de prueba: se retiene mientras este servicio entregue de verdad.',
  },
  {
    said: 'It was accepted for real delivery, so the test mailbox never gets it: it is held while this service is a sandbox.',
    es: 'Se aceptó para entrega real, por lo que nunca va al buzón de prueba: se retiene mientras este servicio sea un entorno de pruebas.',
  },
  { said: 'It was delivered at {at}.', es: 'Se entregó el {at}.' },
  { said: 'It was delivered at {at}: {reply}.', es: 'Se entregó el {at}: {reply}.' },
  {
    said: 'It was delivered, and the recipient complained at {at}.',
    es: 'Se entregó y el destinatario lo reportó como no deseado el {at}.',
  },
  { said: 'It bounced at {at}.', es: 'Rebotó el {at}.' },
  { said: 'It bounced at {at}: {reply}.', es: 'Rebotó el {at}: {reply}.' },
  { said: 'It was cancelled at {at}.', es: 'Se canceló el {at}.' },
  { said: 'It was cancelled at {at}: {reply}.', es: 'Se canceló el {at}: {reply}.' },
  {
    said: 'It is scheduled: it is queued at {at}, in {span}.',
    es: 'Está programado: entra a la cola el {at}, en {span}.',
  },
  {
    said: 'It has been due on the schedule since {at}, for {span}.',
    es: 'Su hora programada pasó el {at}, hace {span}.',
  },
  {
    said: 'It waits for its next attempt at {at}, in {span}.',
    es: 'Espera su siguiente intento el {at}, en {span}.',
  },
  {
    said: 'The operator limits how many messages go to {name} in an hour, and as many have gone: it continues at {at}, in {span}.',
    es: 'El operador limita cuántos mensajes salen hacia {name} en una hora y ya salieron todos: continúa el {at}, en {span}.',
  },
  {
    said: 'The operator limits how many messages go to {name} in a day, and no more are sent for now: it continues at {at}, in {span}.',
    es: 'El operador limita cuántos mensajes salen hacia {name} en un día y por ahora no salen más: continúa el {at}, en {span}.',
  },
  {
    said: 'The operator limits how many messages this account sends in an hour, and as many have gone: it continues at {at}, in {span}.',
    es: 'El operador limita cuántos mensajes envía esta cuenta en una hora y ya salieron todos: continúa el {at}, en {span}.',
  },
  {
    said: 'The operator limits how many messages this account sends in a day, and as many have gone: it continues at {at}, in {span}.',
    es: 'El operador limita cuántos mensajes envía esta cuenta en un día y ya salieron todos: continúa el {at}, en {span}.',
  },
  {
    said: 'The operator limits how many messages leave by this route in an hour, and as many have gone: it continues at {at}, in {span}.',
    es: 'El operador limita cuántos mensajes salen por esta ruta en una hora y ya salieron todos: continúa el {at}, en {span}.',
  },
  {
    said: 'The operator limits how many messages leave by this route in a day, and no more are sent for now: it continues at {at}, in {span}.',
    es: 'El operador limita cuántos mensajes salen por esta ruta en un día y por ahora no salen más: continúa el {at}, en {span}.',
  },
  {
    said: 'The warm-up of {name} has sent as many messages as it may today: it continues at {at}, in {span}.',
    es: 'El calentamiento de {name} ya envió tantos mensajes como puede hoy: continúa el {at}, en {span}.',
  },
  {
    said: 'The warm-up of {name} has sent as many messages to {destination} as it may today: it continues at {at}, in {span}.',
    es: 'El calentamiento de {name} ya envió a {destination} tantos mensajes como puede hoy: continúa el {at}, en {span}.',
  },
  {
    said: 'A cap allows {n} messages in an hour ({scope}), and as many have gone: it continues at {at}, in {span}.',
    es: 'Un tope permite {n} mensajes en una hora ({scope}) y ya salieron todos: continúa el {at}, en {span}.',
  },
  {
    said: 'A cap allows {n} messages in a day ({scope}), and no more are sent for now: it continues at {at}, in {span}.',
    es: 'Un tope permite {n} mensajes en un día ({scope}) y por ahora no salen más: continúa el {at}, en {span}.',
  },
  {
    said: 'Set at {at} by {by}: {note}. To take it back: {command}',
    es: 'Lo puso {by} el {at}: {note}. Para retirarlo: {command}',
  },
  {
    said: 'It has been due since {at}, for {span}.',
    es: 'Está listo para entregarse desde el {at}, hace {span}.',
  },
  {
    said: 'It is being handed over right now (attempt {n}).',
    es: 'Se está entregando en este momento (intento {n}).',
  },
  {
    said: 'A delivery process is handling it now (attempt {n}). Its lease ends at {at} and is extended while the process works; if the process died, the message comes due then.',
    es: 'Un proceso de entrega lo tiene ahora (intento {n}). Su reserva termina el {at} y se extiende mientras el proceso trabaje; si el proceso murió, entonces otro toma el mensaje.',
  },
  {
    said: 'The account {name} was paused at {at} by {by}: {note}. To resume: {command}',
    es: '{by} puso en pausa la cuenta {name} el {at}: {note}. Para reanudar: {command}',
  },
  {
    said: 'The destination {name} was paused at {at} by {by}: {note}. To resume: {command}',
    es: '{by} puso en pausa el destino {name} el {at}: {note}. Para reanudar: {command}',
  },
  {
    said: 'All mail of this account was paused by the operator at {at} and continues when the operator resumes it.',
    es: 'El operador puso en pausa todo el correo de esta cuenta el {at}; continúa cuando el operador lo reanude.',
  },
  {
    said: 'Mail to {name} was paused by the operator at {at} and continues when the operator resumes it.',
    es: 'El operador puso en pausa el correo para {name} el {at}; continúa cuando el operador lo reanude.',
  },
  {
    said: '{destination} was repeatedly busy or unreachable; paused until {at}.',
    es: '{destination} estuvo ocupado o inaccesible varias veces; en pausa hasta el {at}.',
  },
  {
    said: '{destination} may have {places} SMTP sessions at once; {used} are in use and {waiting} messages wait for one.',
    es: '{destination} puede tener {places} sesiones SMTP a la vez; {used} están en uso y {waiting} mensajes esperan una.',
  },
  {
    said: 'All SMTP sessions that {destination} may have at once are in use; it gets the next one that is free.',
    es: 'Todas las sesiones SMTP que {destination} puede tener a la vez están en uso; recibe la próxima que quede libre.',
  },
  { said: 'One message of its account is due before it.', es: 'Un mensaje de su cuenta va antes.' },
  { said: '{n} messages of its account are due before it.', es: '{n} mensajes de su cuenta van antes.' },
  { said: 'It has not been tried yet.', es: 'Aún no se intenta entregar.' },
  { said: 'Last reply after one attempt: {reply}.', es: 'Última respuesta después de un intento: {reply}.' },
  {
    said: 'Last reply after {n} attempts: {reply}.',
    es: 'Última respuesta después de {n} intentos: {reply}.',
  },
  {
    said: 'It expires at {at}, in {span}; then it bounces as expired.',
    es: 'Vence el {at}, en {span}; entonces rebota por vencimiento.',
  },
  {
    said: 'Expired at {at}: it bounces as expired at its next turn.',
    es: 'Venció el {at}: rebota por vencimiento en su próximo turno.',
  },
  { said: 'Nothing known blocks it.', es: 'No se conoce nada que lo detenga.' },
  {
    said: 'Is a process with the role delivery running on this database?',
    es: '¿Hay un proceso con el rol delivery en esta base de datos?',
  },
  { said: 'If this lasts for minutes, tell the operator.', es: 'Si esto dura minutos, avise al operador.' },
  {
    said: 'It was accepted in the sandbox, so it goes only to the test mailbox: it is held until a process with ACUSE_DELIVERY=sandbox runs.',
    es: 'Se aceptó en el entorno de pruebas, por lo que solo va al buzón de prueba: se retiene hasta que haya un proceso con ACUSE_DELIVERY=sandbox.',
  },
  {
    said: 'It was accepted for real delivery, so the test mailbox never gets it: it is held while processes run with ACUSE_DELIVERY=sandbox.',
    es: 'Se aceptó para entrega real, por lo que nunca va al buzón de prueba: se retiene mientras los procesos trabajen con ACUSE_DELIVERY=sandbox.',
  },
];
