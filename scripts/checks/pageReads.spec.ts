import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../run.mjs'

/** A page may render some time after the event that changes it, so a single read can return the previous value. */
const READ_ONCE =
  /\bexpect\(await [^\n]*\.(?:count|textContent|innerText|allInnerTexts|allTextContents|getAttribute|inputValue|isVisible|isHidden|isChecked|isDisabled|isEnabled)\([^()\n]*\)\)/g

const readsOnce = (text: string) => text.match(READ_ONCE) ?? []

describe('check of browser tests', () => {
  it('finds no assertion that reads a page once instead of with expect.poll', async () => {
    const faults: string[] = []
    for await (const file of glob('site/e2e/**/*.e2e.spec.ts', { cwd: ROOT }))
      faults.push(...readsOnce(readFileSync(`${ROOT}/${file}`, 'utf8')).map((read) => `${file}: ${read}`))
    expect(faults).toEqual([])
  })

  it('rejects an assertion that reads a page once, and accepts one that polls', () => {
    expect(readsOnce("expect(await page.locator('a').count()).toBe(0)")).toHaveLength(1)
    expect(readsOnce("await expect.poll(() => page.locator('a').count()).toBe(0)")).toEqual([])
  })
})
