type Cell = string | number | null

/** Formats rows as aligned columns under a header. Numbers are right-aligned. */
export function table(names: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const widths = names.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => String(row[column] ?? '').length)),
  )
  const line = (cells: readonly Cell[]) =>
    cells
      .map((cell, column) => {
        const text = String(cell ?? '')
        const width = widths[column] ?? 0
        return typeof cell === 'number' ? text.padStart(width) : text.padEnd(width)
      })
      .join('  ')
      .trimEnd()
  return [line(names), widths.map((width) => '─'.repeat(width)).join('  '), ...rows.map(line)].join('\n')
}
