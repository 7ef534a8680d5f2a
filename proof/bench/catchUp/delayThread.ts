import net from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

/** A proxy in a thread that passes everything on after a delay, as a network does. Posts its port. */
const { to, delayMs } = workerData as { to: string; delayMs: number }

const server = net.createServer({ noDelay: true }, (near) => {
  const far = net.connect(to)
  for (const [from, onto] of [
    [near, far],
    [far, near],
  ] as const) {
    from.on('data', async (data) => {
      await wait(delayMs)
      onto.write(data)
    })
    from.on('error', () => {}).on('close', () => onto.destroy())
  }
})
server.listen(0, '127.0.0.1', () => parentPort!.postMessage((server.address() as net.AddressInfo).port))
