import type { CommandContext } from '../kernel/eventsourcing/command.ts'
import type { GlobalPosition } from '../kernel/eventsourcing/eventStore.port.ts'
import { must } from '../kernel/must.ts'
import { code, unknownCode } from './code.decider.ts'
import { codeIdOf, readCode } from './codeText.ts'
import { createIssuing, type IssuingDeps } from './issueCodes.ts'

interface CodesDeps extends IssuingDeps {
  readonly credits: {
    hasBought(userId: string): Promise<boolean>
    grantCode(userId: string, codeId: string, amount: number): Promise<GlobalPosition | undefined>
  }
}

export type Codes = ReturnType<typeof createCodes>

/** Creates the service that issues, redeems and voids codes. Calls resolve once the read models show the outcome. */
export function createCodes(deps: CodesDeps) {
  const { handle, changes, calendar, keys, credits } = deps

  /** Returns the id of a code; undefined if it was not issued. */
  async function find(typed: string): Promise<string | undefined> {
    const characters = readCode(typed)
    if (characters === undefined) return undefined
    for (const key of await keys()) {
      const codeId = codeIdOf(characters, key)
      if ((await handle.read(code, codeId)).state) return codeId
    }
    return undefined
  }

  return {
    ...createIssuing(deps),

    /** Returns the id of a code that was issued, and the users who redeemed it; undefined if there is none. */
    async lookUp(typed: string): Promise<{ codeId: string; redeemedBy: readonly string[] } | undefined> {
      const codeId = await find(typed)
      const state = codeId && (await handle.read(code, codeId)).state
      return codeId && state ? { codeId, redeemedBy: state.redeemedBy } : undefined
    },

    /**
     * Grants a user the credits of a code, and returns their number. If the process dies before the grant, the log's trigger
     * makes it.
     * @throws Rejection unknown_code
     */
    async redeem(userId: string, typed: string, context: CommandContext): Promise<number> {
      const codeId = await find(typed)
      if (!codeId) throw unknownCode()
      const isNew = !(await credits.hasBought(userId))
      const at = new Date(calendar()).toISOString()
      const { state, position } = await handle(code, codeId, { type: 'RedeemCode', codeId, userId, isNew, at }, context)
      const amount = must(state, 'code').credits
      const granted = await credits.grantCode(userId, codeId, amount)
      await Promise.all([
        changes.waitFor(['creditCodes'], position),
        changes.waitFor(['creditBalances', 'creditEntries'], granted),
      ])
      return amount
    },
  }
}
