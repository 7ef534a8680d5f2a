const UNITS = ['B', 'KB', 'MB', 'GB'] as const

/** Formats a size in B, KB, MB or GB. Sizes of 1 KB and more have one decimal place. */
export function fileSize(bytes: number): string {
  let size = bytes
  let unit = 0
  // From 1023.95, one decimal place would show 1024.0 of the smaller unit.
  while (size >= (unit === 0 ? 1024 : 1023.95) && unit < UNITS.length - 1) {
    size /= 1024
    unit += 1
  }
  return `${unit === 0 ? size : size.toFixed(1)} ${UNITS[unit]}`
}
