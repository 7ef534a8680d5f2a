/** Creates a runner for work that requests do not wait for, so that response times reveal nothing about it. */
export function createBackground(onError: (error: unknown) => void) {
  const running = new Set<Promise<void>>()
  return {
    run(work: () => Promise<void>): void {
      const task: Promise<void> = work()
        .catch(onError)
        .finally(() => running.delete(task))
      running.add(task)
    },
    /** Resolves when all work started before this call has finished. */
    settled: async (): Promise<void> => void (await Promise.all(running)),
  }
}

export type Background = ReturnType<typeof createBackground>
