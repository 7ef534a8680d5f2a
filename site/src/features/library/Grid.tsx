import { type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { Task } from '#backend/tasks/contract.ts'
import { rememberFocus } from '../../ui/lists/keepFocus.ts'
import { justifyRows } from './justifyRows.ts'
import { createTiles } from './tiles.ts'

const PHONE = { rowHeight: 150, gap: 6 }
const DESK = { rowHeight: 220, gap: 8 }
const NARROW = 768

/** Returns the ratio of width to height of a video. Engines that take no ratio deliver 16:9. */
function ratioOf({ aspect_ratio }: Task): number {
  const [width = 0, height = 0] = (aspect_ratio ?? '').split(':').map(Number)
  return width > 0 && height > 0 ? width / height : 16 / 9
}

interface GridProps {
  readonly tasks: readonly Task[]
  readonly onOpen: (task: Task) => void
}

/** Shows videos in rows that fill the width. Only tiles near the visible part exist. */
export function Grid({ tasks, onOpen }: GridProps) {
  const ref = useRef<HTMLUListElement>(null)
  const tiles = useRef<ReturnType<typeof createTiles>>(null)
  const width = useWidth(ref)
  const places = useMemo(
    () => (width > 0 ? justifyRows(tasks.map(ratioOf), { width, ...(width < NARROW ? PHONE : DESK) }) : []),
    [tasks, width],
  )
  useLayoutEffect(() => {
    tiles.current = ref.current && createTiles(ref.current, onOpen)
    return () => tiles.current?.close()
  }, [onOpen])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new handler makes new tiles.
  useLayoutEffect(() => tiles.current?.set(tasks, places), [tasks, places, onOpen])
  useLayoutEffect(() => (ref.current ? rememberFocus(ref.current) : undefined), [])
  const last = places.at(-1)
  return <ul className="library-grid" ref={ref} style={{ height: last ? last.top + last.height : undefined }} />
}

function useWidth(ref: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return
    const measure = () => setWidth(element.clientWidth)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [ref])
  return width
}
