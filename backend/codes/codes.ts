import { bySystem, type CommandContext } from '../kernel/eventsourcing/command.ts'
import type { GlobalPosition } from '../kernel/eventsourcing/eventStore.port.ts'
import type { Handle } from '../kernel/eventsourcing/handle.ts'
import { uuid7 } from '../kernel/eventsourcing/uuid7.ts'
import { inParallel } from '../kernel/inParallel.ts'
import { must } from '../kernel/must.ts'
import type { Changes } from '../kernel/postgres/changes.ts'
import type { Calendar } from '../kernel/time.ts'
import { code, unknownCode } from './code.decider.ts'
import { codeIdOf, makeCode, readCode } from './codeText.ts'
import type { CodeTerms } from './events.ts'

export interface CodesDeps {
  readonly handle: Handle
  readonly changes: Pick<Changes, 'waitFor'>
  readonly calendar: Calendar
  /** Returns the key of codes, followed by those that it replaced. */
  readonly keys: () => Promise<readonly [Buffer, ...Buffer[]]>
  readonly credits: {
    hasBought(userId: string): Promise<boolean>
    grantCode(userId: string, codeId: string, amount: number): Promise<GlobalPosition | undefined>
  }
}

/** Streams that are begun at the same time. */
const IN_FLIGHT = 8

export type Codes = ReturnType<typeof createCodes>

/** Creates the service that issues, redeems and voids codes. Calls resolve once the read models show the outcome. */
export function createCodes({ handle, changes, calendar, keys, credits }: CodesDeps) {
  const at = () => new Date(calendar()).toISOString()
  const shown = (position: GlobalPosition | undefined) => changes.waitFor(['creditCodes'], position)

  /** Returns the id of a code; undefined if it was not issued. */
  async function find(typed: string): Promise<string | undefined> {
    const characters = readCode(typed)
    for (const key of characters ? await keys() : []) {
      const codeId = codeIdOf(characters!, key)
      if ((await handle.read(code, codeId)).state) return codeId
    }
    return undefined
  }

  return {
    /** Issues codes with the same terms, and returns them: they are not stored. After a crash, those made are known to nobody. */
    async issue(terms: CodeTerms, count: number, by: string): Promise<readonly string[]> {
      const codes = Array.from({ length: count }, makeCode)
      const [batchId, [key]] = [uuid7(), await keys()]
      let last: GlobalPosition | undefined
      await inParallel(codes, IN_FLIGHT, async (text) => {
        const codeId = codeIdOf(must(readCode(text), 'code'), key)
        const issued = { ...terms, codeId, batchId, hint: text.slice(-4), issuedBy: by, at: at() }
        const context = { ...bySystem('issue code', codeId), actor: `operator:${by}` }
        const { position } = await handle(code, codeId, { type: 'IssueCode', ...issued }, context)
        if (position && position > (last ?? '')) last = position
      })
      await shown(last)
      return codes
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
      const redemption = { type: 'RedeemCode', codeId, userId, isNew, at: at() } as const
      const { state, position } = await handle(code, codeId, redemption, context)
      const amount = must(state, 'code').credits
      const granted = await credits.grantCode(userId, codeId, amount)
      await Promise.all([shown(position), changes.waitFor(['creditBalances', 'creditEntries'], granted)])
      return amount
    },

    /** Voids codes: no one can redeem them any more. Credits that were granted stay. */
    async void(codeIds: readonly string[], by: string): Promise<void> {
      let last: GlobalPosition | undefined
      await inParallel(codeIds, IN_FLIGHT, async (codeId) => {
        const context = { ...bySystem('void code', codeId), actor: `operator:${by}` }
        const { position } = await handle(code, codeId, { type: 'VoidCode', codeId, by, at: at() }, context)
        if (position && position > (last ?? '')) last = position
      })
      await shown(last)
    },
  }
}
