/** A tile's place in the grid, in CSS pixels. */
export interface Place {
  readonly top: number
  readonly left: number
  readonly width: number
  readonly height: number
}

interface Grid {
  /** Width of the grid. */
  readonly width: number
  /** Height that rows have about. */
  readonly rowHeight: number
  readonly gap: number
}

/** Rows may be this much higher than asked for before they take another tile. */
const STRETCH = 1.15
/** The last row may be this much higher if it fills the width then. */
const LAST_STRETCH = 1.35

/**
 * Places tiles of the given ratios (width to height) in rows that fill the width. The tiles of a last row that is far from
 * full keep the usual height. Tiles that are added later move only those of the last row.
 */
export function justifyRows(ratios: readonly number[], { width, rowHeight, gap }: Grid): Place[] {
  const places: Place[] = []
  let top = 0
  let first = 0
  let sum = 0
  ratios.forEach((ratio, index) => {
    sum += ratio
    const free = width - gap * (index - first)
    const filled = free / sum
    const isLast = index === ratios.length - 1
    if (filled > rowHeight * STRETCH && !isLast) return
    const height = filled <= rowHeight * LAST_STRETCH ? filled : rowHeight * STRETCH
    let left = 0
    for (const part of ratios.slice(first, index + 1)) {
      const tile = part * height
      places.push({ top, left, width: tile, height })
      left += tile + gap
    }
    top += height + gap
    first = index + 1
    sum = 0
  })
  return places
}

/** Indices of places; `end` is exclusive. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** Returns the range of places that overlap the band from `from` to `to`. */
export function placesBetween(places: readonly Place[], from: number, to: number): Range {
  const start = firstIndex(places, ({ top, height }) => top + height > from)
  return {
    start,
    end: Math.max(
      start,
      firstIndex(places, ({ top }) => top >= to),
    ),
  }
}

/** Returns the first index whose place fulfils a condition that all later places fulfil as well. */
function firstIndex(places: readonly Place[], holds: (place: Place) => boolean): number {
  let low = 0
  let high = places.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(places[middle]!)) high = middle
    else low = middle + 1
  }
  return low
}
