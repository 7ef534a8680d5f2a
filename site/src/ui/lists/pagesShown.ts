/** Returns the page numbers to show around the current page. Null marks a gap; lists of up to five pages have none. */
export function pagesShown(page: number, count: number): (number | null)[] {
  if (count <= 5) return Array.from({ length: count }, (_, index) => index + 1)
  const near = [1, page - 1, page, page + 1, count].filter((each) => each >= 1 && each <= count)
  const shown: (number | null)[] = []
  for (const each of [...new Set(near)]) {
    const before = shown.at(-1) ?? 0
    if (each - before === 2) shown.push(each - 1)
    else if (each - before > 2) shown.push(null)
    shown.push(each)
  }
  return shown
}
