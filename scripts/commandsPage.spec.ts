import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { commandsPage } from './commandsPage.ts'

const page = commandsPage()
const row = (command: string) =>
  page
    .split('\n')
    .find((line) => line.startsWith(`| \`${command}\``))
    ?.replace(/ +/g, ' ')

describe('docs/commands.md', () => {
  it('is up to date: otherwise run `node scripts/commandsPage.ts`', () => {
    expect(readFileSync(path.resolve(import.meta.dirname, '../docs/commands.md'), 'utf8')).toBe(page)
  })

  it('names a sender and an event for every command', () => {
    const rows = page.split('\n').filter((line) => /^\| `/.test(line))
    expect(rows.length).toBeGreaterThan(30)
    for (const line of rows)
      expect(line).toMatch(/^\| `\w+` +\| (user|operator|provider|workflow) \(.*\) +\| `\w+`.* \|$/)
  })

  it('follows calls and branches to the events of one command', () => {
    expect(row('ReleaseSlot')).toMatch(/\| `RenderSlotReleased` \|$/)
    expect(row('FindRender')).toMatch(
      /^\| `FindRender` \| provider .* \| `VideoRenderAccepted`, `VideoRenderFound` \|$/,
    )
    expect(row('GrantLot')).toContain('`CreditLotGranted`, `CreditDebtRepaid`')
  })
})
