import { expect, it } from 'vitest'
import { tabIcon, tabProgress, tabTitle } from './tabProgress.ts'

it('shows the open task that is furthest', () => {
  expect(tabProgress([{ status: 'Success', progress: null }])).toBeNull()
  const open = [
    { status: 'Queueing', progress: null },
    { status: 'Processing', progress: 50 },
    { status: 'Fail', progress: null },
  ] as const
  expect(tabProgress(open)).toBe(52)
})

it('writes the percentage before the title', () => {
  expect(tabTitle('Workspace', 42)).toBe('42% · Workspace')
  expect(tabTitle('Workspace', null)).toBe('Workspace')
})

it('fills the ring of the icon', () => {
  const [half, full] = [tabIcon(50), tabIcon(100)].map((icon) => decodeURIComponent(icon))
  expect(half).toContain('stroke-dasharray="37.7 99"')
  expect(full?.match(/stroke-dasharray="75\.4 99"/g)).toHaveLength(2)
})
