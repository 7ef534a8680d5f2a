import { expect, it, vi } from 'vitest'
import { pastedFiles } from './pastedFiles.ts'

class Target {
  readonly field: boolean
  constructor(field: boolean) {
    this.field = field
  }
  closest = () => (this.field ? this : null)
}
const files = [{ name: 'image.png' }]

it.each([
  ['text with a picture of it, as of Excel, into a field', true, ['text/plain', 'text/html', 'Files'], undefined],
  ['text with a picture of it beside the fields', false, ['text/plain', 'text/html', 'Files'], files],
  ['a picture of a page into a field', true, ['text/html', 'Files'], files],
  ['a screenshot into a field', true, ['Files'], files],
])('of %s', (_, field, types, expected) => {
  vi.stubGlobal('Element', Target)
  const event = { target: new Target(field), clipboardData: { types, files } } as unknown as ClipboardEvent
  expect(pastedFiles(event)).toBe(expected)
  vi.unstubAllGlobals()
})
