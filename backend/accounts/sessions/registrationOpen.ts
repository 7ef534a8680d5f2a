import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import type { AccountServices } from '../accountServices.ts'

/** Rejects calls that mail a link where there is no mail server. @throws Rejection registration_closed */
export function assertOpen({ registrationOpen }: Pick<AccountServices, 'registrationOpen'>): void {
  if (!registrationOpen)
    throw new Rejection('registration_closed', 'Registration is closed here. Ask the operator for an invitation.')
}

/** Rejects new accounts. @throws Rejection registration_closed, registration_paused */
export async function assertMayRegister(services: Pick<AccountServices, 'registrationOpen' | 'assertMayRegister'>) {
  assertOpen(services)
  await services.assertMayRegister()
}
