import type { Task } from '#backend/tasks/contract.ts'
import { type Place, placesBetween, type Range } from './justifyRows.ts'
import { loadMore, markFilms } from './library.ts'
import { $marks } from './marks.ts'
import { $selection, toggle } from './selection.ts'
import { createTile, type Tile } from './tile.ts'

/**
 * Screens above and below the visible part that always have tiles, and those that get tiles when one is missing. The first
 * tile of a frame costs as much as ten more, so they are made many at a time.
 */
const NEAR = 0.5
const FAR = 1.25
/** Screens before the end where the next videos load. */
const AHEAD = 2
/** How long tiles take no part in pointer events after the last scroll, ms. Finding the one under the pointer costs time. */
const SETTLED_MS = 200

function decorate(tile: Tile): void {
  const { id } = tile.task
  tile.show({ favourite: $marks.get().get(id)?.favourite ?? false, selected: $selection.get()?.has(id) })
}

function make(task: Task): Tile {
  const tile = createTile(task)
  decorate(tile)
  return tile
}

/** Creates the tiles in a list, of which one plays. */
function createTileSet(list: HTMLElement) {
  let tiles = new Map<string, Tile>()
  let playing: Tile | undefined

  const tileOf = (event: Event): Tile | undefined => {
    const item = event.target instanceof Element ? event.target.closest<HTMLElement>('.library-tile') : null
    return tiles.get(item?.dataset.task ?? '')
  }
  const play = (tile: Tile | undefined) => {
    if (tile === playing) return
    playing?.rest()
    playing = tile
    tile?.play()
  }
  /** Makes the tiles of a range, in order, from those that exist. */
  const arrange = (tasks: readonly Task[], places: readonly Place[], range: Range) => {
    const shown = tasks.slice(range.start, range.end)
    const existing = (task: Task) => (tiles.get(task.id)?.task === task ? tiles.get(task.id) : undefined)
    const wanted = shown.map((task) => existing(task) ?? make(task))
    const before = tiles
    tiles = new Map(wanted.map((tile) => [tile.task.id, tile]))
    for (const [id, tile] of before) if (tiles.get(id) !== tile) tile.item.remove()
    let next = list.firstElementChild
    wanted.forEach((tile, n) => {
      const place = places[range.start + n]
      if (place) tile.place(place, range.start + n + 1)
      if (tile.item === next) next = next.nextElementSibling
      else list.insertBefore(tile.item, next)
    })
    if (playing && !tiles.has(playing.task.id)) play(undefined)
  }
  const decorateAll = () => {
    for (const tile of tiles.values()) decorate(tile)
  }

  return { tileOf, play, arrange, decorateAll }
}

/** Creates the mark of a list that is being scrolled. */
function createScrollMark(list: HTMLElement) {
  let scrolledAt = 0
  let settling = 0
  const settle = () => {
    const left = scrolledAt + SETTLED_MS - performance.now()
    if (left > 0) {
      settling = window.setTimeout(settle, left)
      return
    }
    settling = 0
    delete list.dataset.scrolling
  }
  const mark = () => {
    scrolledAt = performance.now()
    if (settling) return
    list.dataset.scrolling = ''
    settling = window.setTimeout(settle, SETTLED_MS)
  }

  return { mark, stop: () => clearTimeout(settling) }
}

function clickTile(tile: Tile, target: Element, onOpen: (task: Task) => void): void {
  const { id } = tile.task
  const isIn = (selector: string) => target.closest(selector) !== null
  if ($selection.get()) {
    // A click on the checkbox changes it, which is an event of its own.
    if (!isIn('.library-pick')) toggle(id)
  } else if (isIn('.library-heart')) void markFilms([id], { favourite: !$marks.get().get(id)?.favourite })
  else if (isIn('.library-open')) onOpen(tile.task)
}

/** Shows the tiles near the visible part of a list, which the caller sizes. */
export function createTiles(list: HTMLElement, onOpen: (task: Task) => void) {
  let tasks: readonly Task[] = []
  let places: readonly Place[] = []
  let range: Range = { start: 0, end: 0 }
  const { tileOf, play, arrange, decorateAll } = createTileSet(list)
  let frame = 0
  const scrolling = createScrollMark(list)

  const look = () => {
    frame = 0
    const top = -list.getBoundingClientRect().top
    const screen = window.innerHeight
    const within = (screens: number) => placesBetween(places, top - screens * screen, top + (1 + screens) * screen)
    const needed = within(NEAR)
    if (needed.start < range.start || needed.end > range.end) {
      range = within(FAR)
      arrange(tasks, places, range)
    }
    const last = places.at(-1)
    if (last && last.top + last.height < top + (1 + AHEAD) * screen) void loadMore()
  }
  const later = () => {
    frame ||= requestAnimationFrame(look)
  }
  const onClick = (event: Event) => {
    const tile = tileOf(event)
    if (tile) clickTile(tile, event.target as Element, onOpen)
  }
  const onChange = (event: Event) => {
    const tile = tileOf(event)
    if (!tile) return
    toggle(tile.task.id)
    decorate(tile)
  }
  const listeners: readonly (readonly [EventTarget, string, (event: Event) => void])[] = [
    [window, 'scroll', scrolling.mark],
    [window, 'scroll', later],
    [window, 'resize', later],
    [list, 'click', onClick],
    [list, 'change', onChange],
    [list, 'pointerover', (event) => play(tileOf(event))],
    [list, 'pointerleave', () => play(undefined)],
    [list, 'focusin', (event) => play((event.target as Element).closest('.library-open') ? tileOf(event) : undefined)],
    [list, 'focusout', () => play(undefined)],
  ]
  for (const [target, name, listener] of listeners) target.addEventListener(name, listener, { passive: true })
  const unsubscribe = [$marks.listen(decorateAll), $selection.listen(decorateAll)]

  return {
    /** Shows videos at the given places. */
    set(newTasks: readonly Task[], newPlaces: readonly Place[]): void {
      tasks = newTasks
      places = newPlaces
      range = { start: Math.min(range.start, places.length), end: Math.min(range.end, places.length) }
      arrange(tasks, places, range)
      look()
    },

    close(): void {
      cancelAnimationFrame(frame)
      scrolling.stop()
      for (const [target, name, listener] of listeners) target.removeEventListener(name, listener)
      for (const end of unsubscribe) end()
      play(undefined)
      list.replaceChildren()
    },
  }
}
