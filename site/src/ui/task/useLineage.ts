import { useEffect, useState } from 'react'
import { lineage, type Task } from '#backend/tasks/contract.ts'
import { call } from '../../api/api.ts'

type Known = Readonly<{ of: string; films?: readonly Task[]; error?: unknown }>

/** Returns the family of a film, undefined until it is known, or why it could not be loaded, and loads it again. */
export function useLineage(id: string) {
  const [known, setKnown] = useState<Known>()
  const [attempt, setAttempt] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt loads it again.
  useEffect(() => {
    let isLatest = true
    call(lineage, { params: { id } }).then(
      ({ films }) => isLatest && setKnown({ of: id, films }),
      (error: unknown) => isLatest && setKnown({ of: id, error }),
    )
    return () => {
      isLatest = false
    }
  }, [id, attempt])
  const { films, error }: Partial<Known> = known?.of === id ? known : {}
  return { films, error, retry: () => setAttempt(attempt + 1) }
}
