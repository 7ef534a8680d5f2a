import type { Locator, Page } from 'playwright'
import { hourly, overview, userList, userOverview, weekly } from '#backend/operators/contract.ts'
import { type BoardState, NOW, openBoardDouble } from './boardDouble.ts'
import { holdClock } from './heldClock.ts'
import type { Language } from './languagesInTurn.ts'
import { describeOnSite, type OnSite, OPERATOR } from './onSite.ts'
import { words } from './walkJourney.ts'

const COOKIE = /^((?:__Host-)?kinora_operator)=([^;]+)/

/** The dashboard's main API calls, in the order they are sent. */
export const CORE = [overview.path, weekly.path, hourly.path, userOverview.path, `${userList.path}?page=1&per_page=10`]

/** The dashboard, opened in a browser in one language. */
export interface OpenBoard {
  readonly language: Language
  readonly page: Page
  readonly state: BoardState
  // biome-ignore lint/suspicious/noExplicitAny: a catalogue has the shape of its file.
  readonly t: any
  /** Path prefix: empty or `/zh`. */
  readonly prefix: string
  number(value: number): string
  /** Locates a key figure. */
  figure(name: string): Locator
  /** Locates a section by its heading. */
  panel(heading: string): Locator
  /** Returns the rows of a section's table from the accessibility tree. */
  rowsOf(heading: string): Promise<string[]>
}

export interface OnBoard {
  readonly site: OnSite
  /** Opens the dashboard with a real operator session and the double's data. */
  open(language: Language, prepare?: (state: BoardState, page: Page) => unknown): Promise<OpenBoard>
  /** Opens a page with a real operator session. */
  visit(language: Language): Promise<Page>
}

/**
 * Waits until every panel has its data. An empty panel shrinks then, and a click is lost if its button moves between the
 * press and the release.
 */
export async function atRest(page: Page): Promise<void> {
  await page.locator('.board-panel').first().waitFor()
  await page.locator('.board-panel[aria-busy=true]').first().waitFor({ state: 'detached' })
}

/** Declares tests of the operator's dashboard. The server and the browser run until the file's tests finish. */
export function describeOnBoard(name: string, tests: (on: OnBoard) => void, env?: Record<string, string>): void {
  describeOnSite(
    name,
    (site) => {
      const visit = async (language: Language) => {
        const page = await site.visit({ language })
        const headers = { 'content-type': 'application/json' }
        const body = JSON.stringify(OPERATOR)
        const answer = await fetch(`${site.url}/api/v1/analytics/login`, { method: 'POST', headers, body })
        const [, cookie, value] = COOKIE.exec(answer.headers.getSetCookie()[0] ?? '') ?? []
        await page.context().addCookies([{ name: cookie!, value: value!, url: site.url }])
        return page
      }
      tests({
        site,
        visit,
        open: async (language, prepare = () => {}) => {
          const page = await visit(language)
          await holdClock(page, NOW)
          const state = await openBoardDouble(page, language)
          await prepare(state, page)
          const prefix = language === 'zh' ? '/zh' : ''
          await page.goto(`${site.url}${prefix}/admin/dashboard`)
          const panel = (heading: string) => page.getByRole('region', { name: heading, exact: true })
          return {
            language,
            page,
            state,
            prefix,
            panel,
            t: await words(language, 'dashboard'),
            number: (value) => value.toLocaleString(language === 'zh' ? 'zh-CN' : 'en'),
            figure: (card) => page.locator(`[data-figure="${card}"]`),
            rowsOf: async (heading) => {
              const tree = await panel(heading).ariaSnapshot()
              return [...tree.matchAll(/- '?row "([^"]*)"/g)].map(([, row]) => row!)
            },
          }
        },
      })
    },
    env,
  )
}
