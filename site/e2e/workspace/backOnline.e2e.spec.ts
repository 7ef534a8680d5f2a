import { expect, it } from 'vitest'
import { holdClock, pass } from '../testing/heldClock.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import { openDouble, openTask, taskOf, unreachable } from '../testing/workspaceDouble.ts'

describeOnSite('when the browser is back online, the workspace', (site) => {
  it('replaces the socket and catches up, although polls failed and the retries were used up', async () => {
    const { queue, realtime, status } = await words('en', 'workspace')
    const page = await site.visit({ language: 'en', width: 390 })
    await holdClock(page)
    const state = await openDouble(page, site.url, 'en')
    state.tasks = [openTask('a', 'Processing')]
    await page.goto(`${site.url}/workspace`)
    await expect.poll(() => state.sockets.length).toBe(1)
    for (const call of ['POST /ws/token', 'GET /videos/tasks', 'GET /videos/queue']) state.rare.set(call, unreachable)
    await page.context().setOffline(true)
    await state.sockets[0]!.close()
    await pass(page, 60_000, 3_000)
    await expect.poll(() => page.getByText(queue.paused).count()).toBe(0)
    await expect.poll(() => page.getByText(realtime.lost).count()).toBe(0)

    state.tasks = [taskOf('a')]
    state.rare.clear()
    const before = state.calls.length
    await page.context().setOffline(false)
    await page.locator('.queue [data-task="a"]').getByText(status.Success).waitFor()
    await expect.poll(() => state.sockets.length).toBe(2)
    const read = state.calls.slice(before).filter((name) => name === 'GET /videos/tasks')
    expect(read).toEqual(['GET /videos/tasks'])
    await page.context().close()
  })

  it('replaces a socket that looks open', async () => {
    const page = await site.visit({ language: 'en' })
    const state = await openDouble(page, site.url, 'en')
    state.tasks = [openTask('a', 'Processing')]
    await page.goto(`${site.url}/workspace`)
    await expect.poll(() => state.sockets.length).toBe(1)
    await page.context().setOffline(true)
    await page.context().setOffline(false)
    await expect.poll(() => state.sockets.length).toBe(2)
    await page.context().close()
  })
})
