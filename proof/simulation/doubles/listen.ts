import { currentMachine } from '../time/scheduler.ts'
import type { SimulatedDatabase } from './database.ts'

/** Stands in for `kernel/postgres/listen.ts`: notifications arrive late, several at once. */
export async function listen(
  { database }: { readonly database: SimulatedDatabase },
  _channel: string,
  signal: AbortSignal,
  listener: { onNotification(payload: string): void; onListening(): void },
): Promise<void> {
  const machine = currentMachine()
  const { scheduler } = database
  const arriving: string[] = []
  const arrive = () => {
    for (const payload of arriving.splice(0)) listener.onNotification(payload)
  }
  const stop = database.listen((payload) => {
    if (arriving.push(payload) === 1) scheduler.schedule(scheduler.random.between(1, 120), machine, arrive)
  })
  listener.onListening()
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  stop()
}
