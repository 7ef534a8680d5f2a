import { bySystem } from '../kernel/eventsourcing/command.ts'
import type { GlobalPosition } from '../kernel/eventsourcing/eventStore.port.ts'
import type { Handle } from '../kernel/eventsourcing/handle.ts'
import { uuid7 } from '../kernel/eventsourcing/uuid7.ts'
import { inParallel } from '../kernel/inParallel.ts'
import { must } from '../kernel/must.ts'
import type { Changes } from '../kernel/postgres/changes.ts'
import type { Calendar } from '../kernel/time.ts'
import { code } from './code.decider.ts'
import { codeIdOf, makeCode, readCode } from './codeText.ts'
import type { CodeCommand } from './commands.ts'
import type { CodeTerms } from './events.ts'

export interface IssuingDeps {
  readonly handle: Handle
  readonly changes: Pick<Changes, 'waitFor'>
  readonly calendar: Calendar
  /** Returns the key of codes, followed by those that it replaced. */
  readonly keys: () => Promise<readonly [Buffer, ...Buffer[]]>
}

/** Commands in flight. */
const IN_FLIGHT = 8

/** Creates what the operator `by` does with codes. */
export function createIssuing({ handle, changes, calendar, keys }: IssuingDeps) {
  const at = () => new Date(calendar()).toISOString()

  async function sendAll(commands: readonly CodeCommand[], by: string): Promise<void> {
    let last: GlobalPosition | undefined
    await inParallel(commands, IN_FLIGHT, async (command) => {
      const context = { ...bySystem(command.type, command.codeId), actor: `operator:${by}` }
      const { position } = await handle(code, command.codeId, command, context)
      if (position && position > (last ?? '')) last = position
    })
    await changes.waitFor(['creditCodes'], last)
  }

  return {
    /** Issues codes with the same terms, and returns them. They are not stored, so a crash leaves codes that nobody knows. */
    async issue(terms: CodeTerms, count: number, by: string): Promise<readonly string[]> {
      const [batchId, [key]] = [uuid7(), await keys()]
      const codes = Array.from({ length: count }, makeCode)
      const commands = codes.map((text) => {
        const codeId = codeIdOf(must(readCode(text), 'code'), key)
        return { type: 'IssueCode', ...terms, codeId, batchId, hint: text.slice(-4), issuedBy: by, at: at() } as const
      })
      await sendAll(commands, by)
      return codes
    },

    /** Voids codes: they cannot be redeemed any more. Credits that they granted stay. */
    async void(codeIds: readonly string[], by: string): Promise<void> {
      const commands = codeIds.map((codeId) => ({ type: 'VoidCode', codeId, by, at: at() }) as const)
      await sendAll(commands, by)
    },
  }
}
