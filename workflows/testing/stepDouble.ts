import type { Step } from '#backend/kernel/eventsourcing/handle.ts'

/** Returns a step that calls `send` when it is sent, and cannot be stored along with others. */
export function stepDouble(send: () => Promise<unknown>): Step<undefined> {
  const sent = async () => {
    await send()
    return { state: undefined, position: undefined }
  }
  return {
    send: sent,
    sendWith: async () => ({ ...(await sent()), followed: [] }) as never,
    join: async () => undefined,
  }
}
