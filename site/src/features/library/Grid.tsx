import { useStore } from '@nanostores/react'
import { type RefObject, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { Task } from '#backend/tasks/contract.ts'
import { justifyRows, type Place, placesBetween, type Range, stepTowards } from './justifyRows.ts'
import { loadMore } from './library.ts'
import { $marks } from './marks.ts'
import { $selection } from './selection.ts'
import { Tile } from './Tile.tsx'

const PHONE = { rowHeight: 150, gap: 6 }
const DESK = { rowHeight: 220, gap: 8 }
const NARROW = 768
/** Screens above and below the visible part whose tiles exist, and before the end where the next videos load. */
const AROUND = 0.75
const AHEAD = 2

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
  const width = useWidth(ref)
  const places = useMemo(
    () => (width > 0 ? justifyRows(tasks.map(ratioOf), { width, ...(width < NARROW ? PHONE : DESK) }) : []),
    [tasks, width],
  )
  const { start, end } = useWindow(ref, places)
  const marks = useStore($marks)
  const selection = useStore($selection)
  const last = places.at(-1)
  return (
    <ul className="library-grid" ref={ref} style={{ height: last ? last.top + last.height : undefined }}>
      {tasks.slice(start, end).map((task, n) => (
        <Tile
          key={task.id}
          task={task}
          {...places[start + n]!}
          position={start + n + 1}
          favourite={marks.get(task.id)?.favourite ?? false}
          selected={selection ? selection.has(task.id) : undefined}
          onOpen={onOpen}
        />
      ))}
    </ul>
  )
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

/** Returns the range of tiles near the visible part, and loads the next videos before the end is reached. */
function useWindow(ref: RefObject<HTMLElement | null>, places: readonly Place[]): Range {
  const [range, setRange] = useState<Range>({ start: 0, end: 0 })
  const shown = useRef(range)
  const look = useCallback(() => {
    const top = -(ref.current?.getBoundingClientRect().top ?? 0)
    const screen = window.innerHeight
    const wanted = placesBetween(places, top - AROUND * screen, top + (1 + AROUND) * screen)
    shown.current = stepTowards(wanted, shown.current)
    setRange((old) => (isSame(old, shown.current) ? old : shown.current))
    const last = places.at(-1)
    if (last && last.top + last.height < top + (1 + AHEAD) * screen) void loadMore()
    return isSame(wanted, shown.current)
  }, [ref, places])
  useLayoutEffect(() => {
    let frame = 0
    const later = () => {
      frame ||= requestAnimationFrame(() => {
        frame = 0
        if (!look()) later()
      })
    }
    if (!look()) later()
    addEventListener('scroll', later, { passive: true })
    addEventListener('resize', later)
    return () => {
      cancelAnimationFrame(frame)
      removeEventListener('scroll', later)
      removeEventListener('resize', later)
    }
  }, [look])
  return range
}

const isSame = (one: Range, other: Range) => one.start === other.start && one.end === other.end
