import type { Translated, Words } from '../../../../shared/words/words.ts';

/** A letter to somebody who knows nothing of mail servers. */
const english = {
  greeting: (name: string) => (name === '' ? 'Hello,' : `Hello ${name},`),
  about: (subject: string, date: string) => `This is about our message “${subject}” of ${date}.`,
  noSubject: 'without a subject',
  nothing: (address: string) =>
    `We have sent no message to ${address}. Please check which address you gave us, and tell us the right one.`,
  suppressed: {
    bounce: (address: string, date: string) =>
      `Since ${date} we send nothing to ${address}, because your mail provider told us that it does not take mail for this address. If the address works again, tell us; otherwise give us another one.`,
    complaint: (address: string, date: string) =>
      `Since ${date} we send nothing to ${address}, because a message of ours was marked as spam there. If you want our mail, mark it as “not spam” and tell us, so that we send again.`,
    manual: (address: string, date: string) =>
      `Since ${date} we send nothing to ${address}, because this was asked for. If you want our mail again, tell us.`,
  },
  delivered: (address: string, time: string, server: string | null) =>
    `Your mail provider${server === null ? '' : ` (${server})`} took the message for ${address} on ${time}, so it is in your mailbox or in a filter of your provider.`,
  look: (from: string) =>
    `Please look in the spam folder and in the other folders, and search for ${from}. If it is not there, ask your provider with the time and the server above. Add the sender to your contacts, so that the next message arrives.`,
  waiting: (address: string, reason: string | null) =>
    `The mail server of ${address} has not taken the message yet${reason === null ? '' : `: ${reason}`}. We try again by ourselves for two days; you need do nothing. If it is urgent, give us another address.`,
  scheduled: (address: string) => `The message to ${address} has not left yet: it is to be sent later.`,
  cancelled: (address: string) => `The message to ${address} was cancelled before it left.`,
  complained: (address: string) =>
    `The message reached ${address} and was marked as spam there. If you want our mail, mark it as “not spam” and tell us.`,
  bounced: (address: string, reason: string) => `It did not reach ${address}: ${reason}.`,
  can: {
    address: () => 'Please check the address, or give us another one.',
    full: () => 'Please make room in your mailbox and tell us, so that we send the message again.',
    filter: (from: string) =>
      `Please ask whoever runs your mail to let messages from ${from} through, or give us another address.`,
    suppressed: () => 'If you want our mail at this address, tell us.',
    other: () => 'We are looking into it and will send it again. You can also give us another address.',
  },
  close: 'Kind regards',
};

const spanish: Translated<typeof english> = {
  greeting: (name: string) => (name === '' ? 'Hola:' : `Hola, ${name}:`),
  about: (subject: string, date: string) => `Le escribimos por nuestro mensaje «${subject}» del ${date}.`,
  noSubject: 'sin asunto',
  nothing: (address: string) =>
    `No hemos enviado ningún mensaje a ${address}. Por favor revise qué dirección nos dio y díganos la correcta.`,
  suppressed: {
    bounce: (address: string, date: string) =>
      `Desde el ${date} no enviamos nada a ${address}, porque su proveedor de correo nos avisó que no recibe correo para esa dirección. Si la dirección ya funciona, avísenos; si no, denos otra.`,
    complaint: (address: string, date: string) =>
      `Desde el ${date} no enviamos nada a ${address}, porque ahí se marcó como spam un mensaje nuestro. Si quiere recibir nuestro correo, márquelo como «no es spam» y avísenos para volver a enviarlo.`,
    manual: (address: string, date: string) =>
      `Desde el ${date} no enviamos nada a ${address}, porque así se pidió. Si quiere recibir de nuevo nuestro correo, avísenos.`,
  },
  delivered: (address: string, time: string, server: string | null) =>
    `Su proveedor de correo${server === null ? '' : ` (${server})`} aceptó el mensaje para ${address} el ${time}, así que está en su buzón o en un filtro de su proveedor.`,
  look: (from: string) =>
    `Por favor busque en la carpeta de spam y en las demás carpetas, y busque ${from}. Si no está, pregunte a su proveedor con la hora y el servidor de arriba. Agregue al remitente a sus contactos para que llegue el siguiente mensaje.`,
  waiting: (address: string, reason: string | null) =>
    `El servidor de correo de ${address} aún no acepta el mensaje${reason === null ? '' : `: ${reason}`}. Seguimos intentando durante dos días; usted no tiene que hacer nada. Si es urgente, denos otra dirección.`,
  scheduled: (address: string) => `El mensaje para ${address} aún no sale: se enviará más tarde.`,
  cancelled: (address: string) => `El mensaje para ${address} se canceló antes de salir.`,
  complained: (address: string) =>
    `El mensaje llegó a ${address} y ahí se marcó como spam. Si quiere recibir nuestro correo, márquelo como «no es spam» y avísenos.`,
  bounced: (address: string, reason: string) => `No llegó a ${address}: ${reason}.`,
  can: {
    address: () => 'Por favor revise la dirección o denos otra.',
    full: () => 'Por favor libere espacio en su buzón y avísenos para enviar de nuevo el mensaje.',
    filter: (from: string) =>
      `Por favor pida a quien administra su correo que deje pasar los mensajes de ${from}, o denos otra dirección.`,
    suppressed: () => 'Si quiere recibir nuestro correo en esta dirección, avísenos.',
    other: () => 'Lo estamos revisando y lo enviaremos de nuevo. También puede darnos otra dirección.',
  },
  close: 'Saludos cordiales',
};

export const letterWords: Words<typeof english> = { en: english, es: spanish };
