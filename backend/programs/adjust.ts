import { readChainHead } from '#projections/credits/chainHead.ts'
import { findUserId } from '../accounts/readUsers.ts'
import { ConfigError, parseEnvironment } from '../app/config/environment.ts'
import { isOperatorName, operatorSigner, registerOperator } from '../audit/operatorKeys.ts'
import { readAccount } from '../audit/readLedger.ts'
import { adjustmentLot, createCredits } from '../credits/credits.ts'
import { parseOptions, runProgram, text, UsageError } from '../kernel/commandLine.ts'
import type { EventStore } from '../kernel/eventsourcing/eventStore.port.ts'
import { createHandle } from '../kernel/eventsourcing/handle.ts'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { derivedId } from '../kernel/eventsourcing/pure/eventHash.ts'
import { verifyHeads } from '../kernel/eventsourcing/recordedHeads.ts'
import { uuid7 } from '../kernel/eventsourcing/uuid7.ts'
import { openPool } from '../kernel/postgres/openPool.ts'
import { createOperatorActions } from '../operators/operatorActions.ts'
import { connectInstallation, NoLedger } from './ledger/connectInstallation.ts'
import { openStore, STORE_FAULTS } from './ledger/openStore.ts'

const usage = `npm run adjust -- --user <id or e-mail> --amount <credits> --reason <words> [--operator <name>] [--id <id>]

Grants credits to a user, signed with the key of the operator in DATA_DIR/operator-keys (default: OPERATOR_USERNAME). A negative amount takes credits, at most those that are left. The ledger keeps operator and
reason forever, so the reason must not name a person. An adjustment with the same --id is made once; another amount is refused.`

/** @throws UsageError naming the invalid argument */
function readArguments(args: readonly string[], defaultOperator: string) {
  const values = parseOptions(args, { user: text, amount: text, reason: text, operator: text, id: text })
  const { user = '', reason = '', operator = defaultOperator, id = uuid7() } = values
  for (const name of ['user', 'amount', 'reason'] as const)
    if (!values[name]?.trim()) throw new UsageError(`--${name} is missing`)
  const amount = Number(values.amount)
  if (!/^[+-]?\d+$/.test((values.amount ?? '').trim()) || amount === 0 || Math.abs(amount) > 1_000_000)
    throw new UsageError('--amount must be a whole number of credits other than 0, a million at most')
  if (!isOperatorName(operator)) throw new UsageError('--operator must be letters, digits, and any of . - _ @ +')
  if (reason.length > 200) throw new UsageError('--reason must be 200 characters at most')
  return { user, amount, reason: reason.trim(), operator, id }
}

/** Returns the amount that an adjustment was made with, negative if it took credits; undefined if it was not made. */
async function findAdjusted(store: EventStore, userId: string, id: string): Promise<number | undefined> {
  for await (const { type, data } of readAccount(store, userId)) {
    if (type === 'CreditLotGranted' && data.lotId === adjustmentLot(id)) return data.amount
    if (type === 'CreditsWithdrawn' && data.adjustmentId === id)
      return data.parts.reduce((left, { amount }) => left - amount, 0)
  }
  return undefined
}

/**
 * Adjusts a user's credits as an operator. Returns the exit code: 0, 1 if refused, or 2 for an invalid command line.
 */
export function runAdjust(args: readonly string[], env: NodeJS.ProcessEnv, print: (text: string) => void) {
  return runProgram({ usage, expected: [Rejection, NoLedger, ConfigError, ...STORE_FAULTS], print }, async () => {
    const registered = parseEnvironment({ OPERATOR_USERNAME: env.OPERATOR_USERNAME }).OPERATOR_USERNAME
    const { user, amount, reason, operator, id } = readArguments(args, registered)
    const { dataDir, place, stop } = await connectInstallation(env)
    const pool = openPool({ ...place.postgres, max: 2 })
    const store = await openStore(place, pool)
    try {
      registerOperator(dataDir, registered)
      const sign = operatorSigner(dataDir, operator)
      const userId = await findUserId(pool, user)
      if (!userId) throw new UsageError(`--user: no user with the id or address ${user}`)
      const adjusted = (await findAdjusted(store, userId, id)) ?? amount
      if (adjusted !== amount) throw new UsageError(`--id: the adjustment ${id} was made with ${adjusted} credits`)
      print(`Adjustment ${id}. If this is interrupted, repeat it with --id ${id}: it is made once.`)
      const context = { commandId: derivedId('adjust', userId, id), actor: `operator:${operator}`, correlationId: id }
      await createCredits(createHandle(verifyHeads(store, (stream) => readChainHead(pool, stream)))).adjust(
        userId,
        { adjustmentId: id, amount, reason, sign },
        context,
      )
      const detail = `${amount} credits, user ${userId}, adjustment ${id}, by ${operator}: ${reason}`
      await createOperatorActions(pool).record({ action: 'credits_adjusted', detail, ctx: null })
      print(`${amount > 0 ? 'Granted' : 'Took'} ${Math.abs(amount)} credits: user ${userId}`)
      return 0
    } finally {
      await store.close()
      await pool.end()
      await stop()
    }
  })
}

if (import.meta.main) process.exitCode = await runAdjust(process.argv.slice(2), process.env, console.log)
