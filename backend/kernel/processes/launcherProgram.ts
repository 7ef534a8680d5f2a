import { runHere } from './runHere.ts'
import type { MessageFromLauncher, MessageToLauncher } from './runProgram.ts'

/** Starts programs for the process that forked this one. Exits, and kills them, when that process ends. */
const inputs = new Map<number, Uint8Array[]>()
const running = new Map<number, AbortController>()

const answer = (message: MessageFromLauncher) => process.send?.(message, undefined, undefined, () => {})

process.on('message', async (message: MessageToLauncher) => {
  const { id } = message
  if (message.type === 'input') {
    inputs.set(id, [...(inputs.get(id) ?? []), message.piece])
  } else if (message.type === 'abort') {
    running.get(id)?.abort()
  } else {
    const abort = new AbortController()
    running.set(id, abort)
    const input = Buffer.concat(inputs.get(id) ?? [])
    inputs.delete(id)
    const onOutput = (piece: Uint8Array) => answer({ id, type: 'output', piece })
    await runHere(message.order, { input, signal: abort.signal, onOutput }).then(
      (ended) => answer({ id, type: 'ended', ended }),
      (error: Error) => answer({ id, type: 'failed', message: error.message }),
    )
    running.delete(id)
  }
})

process.on('disconnect', () => {
  for (const abort of running.values()) abort.abort()
  process.exit()
})
// A signal to the process group, such as Ctrl+C, must not end programs before the server has stopped.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
