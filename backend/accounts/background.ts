/** Work that a call starts and does not wait for, so that the answer's time tells nothing of it. */
export function createBackground(onError: (error: unknown) => void) {
  const running = new Set<Promise<void>>()
  return {
    run(work: () => Promise<void>): void {
      const task: Promise<void> = work()
        .catch(onError)
        .finally(() => running.delete(task))
      running.add(task)
    },
    /** Settles when all that was started until now is done. */
    settled: async (): Promise<void> => void (await Promise.all(running)),
  }
}

export type Background = ReturnType<typeof createBackground>
