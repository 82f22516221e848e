import type { Translated, Words } from '../../../../shared/words/words.ts';

const english = {
  title: 'Refuse the invitation',
  lead: 'Press the button if the invitation is not for you, or if you want no more invitations from this account.',
  after: 'The account can never invite your address again. You do not need to sign in.',
  refuse: 'Refuse and block more invitations',
  done: 'The invitation was refused. This account cannot invite your address again.',
  missing: 'This link is incomplete. Open it as it is in the mail, or copy all of it.',
  spent:
    'The invitation was accepted, refused or withdrawn already, or there is a newer mail with another link.',
};

const spanish: Translated<typeof english> = {
  title: 'Rechazar la invitación',
  lead: 'Presione el botón si la invitación no es para usted, o si no quiere más invitaciones de esta cuenta.',
  after: 'La cuenta no podrá invitar de nuevo a su dirección. No necesita iniciar sesión.',
  refuse: 'Rechazar y no recibir más invitaciones',
  done: 'Se rechazó la invitación. Esta cuenta no puede invitar de nuevo a su dirección.',
  missing: 'Este enlace está incompleto. Ábralo tal como está en el correo, o cópielo completo.',
  spent: 'La invitación ya se aceptó, se rechazó o se retiró, o hay un correo más reciente con otro enlace.',
};

export const refuseWords: Words<typeof english> = { en: english, es: spanish };
