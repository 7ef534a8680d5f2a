import { describe, expect, it } from 'vitest'
import { axeFaults } from './axeFaults.ts'
import { chromiumPath, sharedChromium } from './chromium.ts'

describe.skipIf(!chromiumPath())('axe violations', () => {
  it('are those of the page after its animations', async () => {
    const browser = await sharedChromium(chromiumPath()!)
    const page = await browser.newPage()
    const style =
      '@keyframes appear { from { opacity: 0.1 } } p { animation: appear 2s steps(1) } i { animation: appear 1s infinite }'
    await page.setContent(
      `<html lang="en"><title>A</title><style>${style}</style><main><h1>A</h1><p>Text</p><i></i></main>`,
    )
    expect(await axeFaults(page)).toEqual([])
    await page.setContent('<html lang="en"><title>A</title><main><h1>A</h1><p style="opacity: 0.3">Text</p></main>')
    expect(await axeFaults(page)).toEqual([expect.stringContaining('color-contrast')])
    await page.close()
  })
})
