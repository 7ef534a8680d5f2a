import { expect, it } from 'vitest'
import type { Case } from '#backend/cases/contract.ts'
import { visitor } from '#backend/testing/testUser.ts'
import { axeFaults } from '../testing/axeFaults.ts'
import { languagesInTurn } from '../testing/languagesInTurn.ts'
import { makeFilm, shareFilm } from '../testing/makeFilm.ts'
import { describeOnBoard } from '../testing/onBoard.ts'
import { OPERATOR } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'

/** Subjects of the mails, by language. */
const REMOVED = { en: 'The public page of your film was removed', zh: '你的影片公开页面已被移除' }
const RESTORED = { en: 'Your film can be shared again', zh: '你的影片可以再次分享' }

describeOnBoard('the moderation of public pages', (on) => {
  it.each(languagesInTurn())('a report opens a case, and an operator removes the page (%s)', async (language) => {
    const prefix = language === 'zh' ? '/zh' : ''
    const owner = await on.site.newUser()
    await owner.call('PUT', '/users/language', { language })
    const film = await makeFilm(owner)
    const { url } = await shareFilm(owner, film)
    const address = on.site.url + prefix + new URL(url).pathname
    const share = await words(language, 'share')
    const { desk: t } = await words(language, 'dashboard')

    const visit = await on.site.visit({ language })
    await visit.goto(address)
    await visit.getByText(share.reportFilm).click()
    await visit.getByLabel(share.reasons.person).check()
    expect(await axeFaults(visit)).toEqual([])
    await visit.getByRole('button', { name: share.reportSend }).click()
    await visit.getByText(share.reportSent).waitFor()

    const page = await on.visit(language)
    const cases = async () => {
      const answer = await page.request.get(`${on.site.url}/api/v1/desk/cases?kind=report`)
      const { cases } = (await answer.json()) as { cases: Case[] }
      return cases.filter(({ subject }) => subject === film.id)
    }
    await expect.poll(async () => (await cases()).map(({ detail }) => detail)).toEqual(['person'])

    const act = async (kind: 'take_down' | 'put_back') => {
      await page.getByRole('button', { name: new RegExp(`^${t.acts[kind]}`) }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel(t.reason).fill('A real person.')
      await dialog.getByRole('button', { name: t.acts[kind], exact: true }).click()
      await dialog.waitFor({ state: 'detached' })
    }
    const mails = async () => (await visitor(on.site.url).mails(owner.email)).map(({ subject }) => subject)
    const [reported] = await cases()
    await page.goto(`${on.site.url}${prefix}/admin/dashboard#case/${reported!.id}`)
    await page.getByText(share.reasons.person).waitFor()
    await act('take_down')
    await expect.poll(mails).toContain(REMOVED[language])
    expect((await visit.goto(address))!.status()).toBe(410)
    await visit.getByRole('heading', { name: share.removedTitle }).waitFor()
    expect(await axeFaults(visit)).toEqual([])
    await expect.poll(cases).toEqual([])
    const again = await owner.call('POST', `/videos/tasks/${film.id}/share`, {})
    expect([again.status, ((await again.json()) as { code: string }).code]).toEqual([403, 'share_removed'])

    await page.goto(`${on.site.url}${prefix}/admin/dashboard#person/${owner.userId}`)
    await act('put_back')
    await expect.poll(mails).toContain(RESTORED[language])
    expect((await visit.goto(address))!.status()).toBe(200)
    const { desk } = await on.site.audit()
    const lines = desk.actions.filter(({ subject }) => subject === film.id)
    const line = { operator: OPERATOR.username, ended: 'ActionDone' }
    expect(lines).toMatchObject([
      { ...line, kind: 'take_down' },
      { ...line, kind: 'put_back' },
    ])
    await visit.context().close()
    await page.context().close()
  })
})
