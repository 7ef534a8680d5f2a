import type { Passkeys } from '../../accounts/factors/passkeys.ts'
import { createSecondFactors, eraseFactors } from '../../accounts/factors/secondFactors.ts'
import { keyFor } from '../../accounts/keys/seal.ts'
import type { UserKeys } from '../../accounts/keys/userKeys.ts'
import { hashPassword, passwordMatches, unusablePassword } from '../../accounts/passwords.ts'
import { networkAddress } from '../../kernel/http/fairness/networkAddress.ts'
import { createOperatorActions } from '../../operators/operatorActions.ts'
import { createOperatorSessions } from '../../operators/operatorSessions.ts'
import { createOperators } from '../../operators/roll/operators.ts'
import { createSignInLimit, type Throttle } from '../../operators/signInLimit.ts'
import type { Context } from '../context.ts'
import { createOperatorFactors } from './operatorFactors.ts'

/** Services of users' accounts that operators' accounts use, too. */
interface Shared {
  readonly throttle: Throttle
  readonly userKeys: Pick<UserKeys, 'encrypt' | 'tryDecrypt'>
  readonly passkeys: Passkeys
}

export type OpenOperators = ReturnType<typeof openOperators>

/** Opens who the operators are, their sessions, and what they prove themselves with. */
export function openOperators(context: Context, publicUrl: () => string, { userKeys, passkeys, throttle }: Shared) {
  const { config, pool, database, handle, changes, calendar } = context
  const { username, password } = config.operators
  const actions = createOperatorActions(pool)
  const sessions = createOperatorSessions(pool, changes, {
    secure: publicUrl().startsWith('https://'),
    secret: config.secrets.session,
    ...{ username, password },
    deviceKey: keyFor('operator devices', config.secrets.encryption),
  })
  const factors = createSecondFactors({ database, passkeys, userKeys })
  const operators = createOperators({
    ...{ handle, pool, calendar, sessions, bootstrap: { username, password } },
    passwords: { hash: hashPassword, matches: passwordMatches, unusable: unusablePassword },
    factors: {
      has: async (id) => (await factors.methods(id)).length > 0,
      keys: passkeys.publicKeys,
      erase: (id) => database.em.fork().transactional((tx) => eraseFactors(tx, id)),
    },
  })
  const limit = createSignInLimit({ throttle, networkOf: networkAddress, deviceOf: sessions.deviceOf })
  const proofs = createOperatorFactors({ context, factors, passkeys, sessions, actions, limit, throttle, operators })
  return { actions, sessions, factors, passkeys, operators, limit, ...proofs }
}
