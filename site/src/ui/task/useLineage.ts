import { useEffect, useState } from 'react'
import { lineage, type Task } from '#backend/tasks/contract.ts'
import { call } from '../../api/api.ts'

/** Returns the family of a film; undefined until it is known. */
export function useLineage(id: string): readonly Task[] | undefined {
  const [known, setKnown] = useState<Readonly<{ of: string; films: readonly Task[] }>>()
  useEffect(() => {
    let isLatest = true
    call(lineage, { params: { id } }).then(
      ({ films }) => isLatest && setKnown({ of: id, films }),
      () => {},
    )
    return () => {
      isLatest = false
    }
  }, [id])
  return known?.of === id ? known.films : undefined
}
