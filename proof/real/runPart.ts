import { EVENT_STORE_PARTS } from './eventStore.ts'
import type { Outcome } from './outcome.ts'
import { type PartContext, Skipped } from './part.ts'
import { PARTS } from './parts.ts'

const [name = '', context = ''] = process.argv.slice(2)
// Ends all that the part has started when its starter has ended.
process.once('disconnect', () => process.kill(-process.pid, 'SIGKILL'))
// Only the part of the event store uses its log, which must be empty.
if (name !== EVENT_STORE_PARTS[0]!.name) for (const key of ['EVENTSTORE_URL', 'EVENTSTORE_CA']) delete process.env[key]
const outcome = await outcomeOf(JSON.parse(context))
process.send!(outcome, () => process.exit())

async function outcomeOf(context: PartContext): Promise<Outcome> {
  try {
    const version = await PARTS.find((part) => part.name === name)!.run(context)
    return { result: 'passed', line: `${name} ${version}: passed` }
  } catch (error) {
    if (error instanceof Skipped) return { result: 'skipped', line: `${name}: skipped, ${error.message}` }
    return { result: 'failed', line: `${name}: failed, ${(error as Error).stack ?? error}` }
  }
}
