import { Worker } from 'node:worker_threads'

export type MessageToThread = Readonly<{ id: number }> &
  (Readonly<{ type: 'call'; name: string; args: readonly unknown[] }> | Readonly<{ type: 'told'; answer: unknown }>)

export type MessageFromThread = Readonly<{ id: number }> &
  (
    | Readonly<{ type: 'ask'; question: unknown }>
    | Readonly<{ type: 'done'; result: unknown }>
    | Readonly<{ type: 'failed'; error: Error }>
  )

interface Call {
  readonly onQuestion: (question: never) => unknown
  resolve(result: unknown): void
  reject(error: Error): void
}

/** Functions that a thread runs. The last parameter of each asks the caller, and may be unused. */
export type ThreadFunctions = Readonly<Record<string, (...args: never[]) => unknown>>

type Options = Readonly<{ idleMs?: number }>

/** The thread holds its libraries in memory, so it ends when there is nothing to do. */
const IDLE_MS = 5 * 60_000

/**
 * Runs functions in a worker thread, which starts with the first call: for libraries that need much memory, or block an
 * event loop while they load, and that a process seldom needs. docs/decisions/0051-server-bundle.md.
 * @param program a module that ends with `answerCalls`
 * @example
 * const call = createThread<SumFunctions>(program)
 * const sum = await call('sum', [1, 2])
 */
export function createThread<F extends ThreadFunctions>(program: URL, { idleMs = IDLE_MS }: Options = {}) {
  const calls = new Map<number, Call>()
  let thread: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let lastId = 0

  const end = () => {
    const ending = thread
    thread = undefined
    void ending?.terminate()
  }

  const start = () => {
    const started = new Worker(program)
    const fail = (error: Error) => {
      // A thread that was ended because it was idle exits later, when another may be at work.
      if (thread !== started) return
      thread = undefined
      for (const { reject } of calls.values()) reject(error)
    }
    const answer = async ({ id, question }: Extract<MessageFromThread, { type: 'ask' }>) => {
      const call = calls.get(id)
      try {
        const told = await call?.onQuestion(question as never)
        started.postMessage({ id, type: 'told', answer: told } satisfies MessageToThread)
      } catch (error) {
        call?.reject(error as Error)
      }
    }
    started.on('message', (message: MessageFromThread) => {
      if (message.type === 'done') calls.get(message.id)?.resolve(message.result)
      else if (message.type === 'failed') calls.get(message.id)?.reject(message.error)
      else void answer(message)
    })
    started.on('error', fail)
    started.on('exit', (code) => fail(new Error(`${program.pathname} ended with ${code}`)))
    return started
  }

  /** Calls a function in the thread. Its arguments and result are copied. `onQuestion` answers what it asks. */
  return async <N extends keyof F & string>(
    name: N,
    args: readonly unknown[],
    onQuestion: (question: never) => unknown = () => undefined,
  ): Promise<Awaited<ReturnType<F[N]>>> => {
    clearTimeout(idle)
    thread ??= start()
    // A thread at work keeps the process alive, an idle one does not.
    thread.ref()
    const id = ++lastId
    try {
      return await new Promise<never>((resolve, reject) => {
        calls.set(id, { onQuestion, resolve: resolve as Call['resolve'], reject })
        thread!.postMessage({ id, type: 'call', name, args } satisfies MessageToThread)
      })
    } finally {
      calls.delete(id)
      if (calls.size === 0) {
        thread?.unref()
        idle = setTimeout(end, idleMs).unref()
      }
    }
  }
}
